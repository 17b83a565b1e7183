/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's copies of whole pages, as a CPU's accesses show them: the lines of a page are
 * loaded one after the other, and each is stored to the same place of another page before
 * the next one is loaded. An interrupt's accesses in between change nothing. They may begin a
 * page, so that what they begin is followed beside the copy until it is clear which of both goes
 * on. All accesses count, also those that the caches take: a page that was just cleared is still
 * in them when it is copied to.
 *
 * What is stored to the page that it was loaded from is no copy: entries of a page table change so.
 */
#ifndef TIERMEM_COPYING_H
#define TIERMEM_COPYING_H

#include <stdbool.h>
#include <stdint.h>

#define COPYING_LINE_SHIFT	6
#define COPYING_LINES		64	/* of a page */

struct copying {
	struct {
		uint64_t load;	/* lines that were met last, by virtual address */
		uint64_t store;
	} of[2];		/* what may be a copy */
	unsigned int begun;	/* which of them has begun last */
	unsigned int latest;	/* which of them was stored to in step last */
	uint64_t from;		/* the last line of the page that was copied last */
};

/* An access of the kernel; true if it ends a copy within the kernel's own half of addresses. */
static inline bool copying_access(struct copying *c, uint64_t vaddr, bool store)
{
	uint64_t line = vaddr >> COPYING_LINE_SHIFT;
	bool ended = false;
	unsigned int i;

	if (line % COPYING_LINES == 0 && !store) {
		/* What was met of this page before does not go on. */
		bool again = line / COPYING_LINES == c->of[c->latest].load / COPYING_LINES;

		c->begun = again ? c->latest : !c->latest;
		c->of[c->begun].load = line;
		return false;
	}
	if (line % COPYING_LINES == 0) {
		if (c->of[c->begun].load % COPYING_LINES == 0)
			c->of[c->begun].store = line;
		return false;
	}
	for (i = 0; i < 2; i++) {
		uint64_t *last = store ? &c->of[i].store : &c->of[i].load;

		if (line != *last + 1 || (store && (line ^ c->of[i].load) % COPYING_LINES))
			continue;
		*last = line;
		if (!store)
			continue;
		c->latest = i;
		if (line % COPYING_LINES < COPYING_LINES - 1 || !(vaddr >> 63) ||
		    !(c->of[i].load >> (63 - COPYING_LINE_SHIFT)) ||
		    c->of[i].load == line)
			continue;
		c->from = c->of[i].load;
		ended = true;
	}
	return ended;
}

#endif
