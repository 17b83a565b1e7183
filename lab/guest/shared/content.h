/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What memory holds before and after the patterns were played on it.
 *
 * Every store adds a value of the pattern to a word, atomically, so the final content does
 * not depend on how the threads interleave. It is verified by one sum per page in which
 * every word has a weight of its own: the pattern is played again on the sums, and each
 * page's words must give its sum. A lost store, a stale copy, and a page or a line that got
 * another's place all show.
 */
#ifndef LAB_CONTENT_H
#define LAB_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numa.h"
#include "pattern.h"

#define CONTENT_WORDS	(NUMA_PAGE / sizeof(uint64_t))	/* of a page */

/* What the word at @index of the memory holds at first. */
static inline uint64_t content_first(uint64_t seed, uint64_t index)
{
	uint64_t x = (index + 1) * PATTERN_A + seed;

	return x ^ x >> 31;
}

/* Fill the bytes from @first to @end of @memory with their first content. */
void content_fill(void *memory, size_t first, size_t end, uint64_t seed);

/*
 * Whether the memory holds what @threads patterns of @plan must have left; the first wrong
 * pages are named on stderr. @checksum is of the content.
 */
bool content_verify(const void *memory, const struct pattern_plan *plan, unsigned int threads,
		    uint64_t *checksum);

#endif
