/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which page frames a range of virtual memory is in, found by loads of it, and how often
 * memory served each of these frames in the last region.
 */
#ifndef TIERMEM_CENSUS_H
#define TIERMEM_CENSUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memory.h"

struct census {
	bool open;
	uint64_t first;		/* the range, virtual addresses */
	uint64_t last;
	uint64_t *met;		/* frame of each of its pages that was loaded, plus 1 */
};

/*
 * Open @c for loads of the bytes from @first, where a page begins, to @last. All first
 * levels are flushed, so that none hides a load. False if out of memory.
 */
bool census_begin(struct census *c, struct memory *m, uint64_t first, uint64_t last);

/* The user loaded @vaddr, which is at @off of RAM. */
static inline void census_load(struct census *c, uint64_t vaddr, uint64_t off)
{
	if (vaddr >= c->first && vaddr <= c->last)
		c->met[(vaddr - c->first) >> MEMORY_PAGE_SHIFT] = (off >> MEMORY_PAGE_SHIFT) + 1;
}

/*
 * Close @c and append it to @out as one line of JSON: of each node the frames that were
 * met, a page's each, though while pages move two may have had the same, and how many of
 * these were served never, once, 2 or 3 times, 4 to 7 times, ... NULL, or what went wrong.
 */
const char *census_end(struct census *c, const struct memory *m, FILE *out);

#endif
