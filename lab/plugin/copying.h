/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's copies of whole pages, as a CPU's accesses show them: the lines of a page are
 * loaded one after the other, and each is stored to the same place of another page before
 * the next one is loaded. An interrupt's accesses in between change nothing, unless they
 * begin a page. All accesses count, also those that the caches take: a page that was just
 * cleared is still in them when it is copied to.
 */
#ifndef TIERMEM_COPYING_H
#define TIERMEM_COPYING_H

#include <stdbool.h>
#include <stdint.h>

#define COPYING_LINE_SHIFT	6
#define COPYING_LINES		64	/* of a page */

struct copying {
	uint64_t load;		/* lines that were met last, by virtual address */
	uint64_t store;
};

/* An access of the kernel; true if it ends a copy within the kernel's own half of addresses. */
static inline bool copying_access(struct copying *c, uint64_t vaddr, bool store)
{
	uint64_t line = vaddr >> COPYING_LINE_SHIFT, *last = store ? &c->store : &c->load;

	if (line % COPYING_LINES && line != *last + 1)
		return false;
	if (store && (line ^ c->load) % COPYING_LINES)
		return false;
	*last = line;
	return store && line % COPYING_LINES == COPYING_LINES - 1 &&
	       vaddr >> 63 && c->load >> (63 - COPYING_LINE_SHIFT);
}

#endif
