/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of a tenant's pages are on the fast node as the measured region begins, to the page, and
 * under every policy the same, but for what a policy moves just then. A unit is what the kernel
 * moves as one: a page, or a huge page.
 */
#ifndef TENANTS_START_H
#define TENANTS_START_H

#include <stdbool.h>
#include <stdint.h>

#include "pattern.h"
#include "zipf.h"

struct start {
	uint8_t *memory;
	uint64_t units;
	uint64_t unit_bytes;
	bool *fast;	/* of each unit */
	int node[2];	/* the slow one, the fast one */
};

/*
 * Choose @fast_units units for the fast node: with @hottest the hottest ones, which are those that
 * @zipf makes hot (the sum of their pages' weights counts), or the first ones without it; else the
 * last ones of the memory.
 */
void start_choose(struct start *s, uint64_t fast_units, bool hottest, const struct zipf *zipf);

/* Fill the memory with its first content, each unit on its node. 0, or -1 with errno. */
int start_fill(const struct start *s, uint64_t seed);

/*
 * Move what should be on the slow node, or on the @fast one, and is not. 0, or -1 with errno:
 * EBUSY if more than a tenth of the pages is elsewhere after several tries.
 */
int start_put(const struct start *s, bool fast);

#endif
