/* SPDX-License-Identifier: GPL-2.0 */
/* Pages as far as recorders look at them. */
#ifndef _LINUX_MM_H
#define _LINUX_MM_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/mmzone.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define MAX_PAGE_ORDER	10

enum pageflags {
	PG_lru = 8,	/* those below hold a folio's order in its second page */
	PG_head,
	PG_online,
};

/*
 * A base page, or one of a folio of several; as in the kernel, @compound_head is the head with
 * the lowest bit set in all but the head, and the second page's flags have the order.
 */
struct page {
	unsigned long flags;
	unsigned long compound_head;
	int refcount;
	s16 nid;
};

struct folio {
	struct page page;
};

/*
 * MEM_MAP_PAGES of them, from page frame 0 on. With a single one, all page frames
 * share it: memory of any size has its pages, which are then always in the cache.
 */
extern struct page *mem_map;

#define pfn_to_page(pfn)	(&mem_map[(pfn) % MEM_MAP_PAGES])
#define page_to_pfn(page)	((unsigned long)((page) - mem_map))
#define page_to_nid(page)	((page)->nid)

static inline struct page *compound_head(struct page *page)
{
	unsigned long head = READ_ONCE(page->compound_head);

	return head & 1 ? (struct page *)(head - 1) : page;
}

#define page_folio(page)	((struct folio *)compound_head(page))
#define folio_pfn(folio)	page_to_pfn(&(folio)->page)
#define folio_nid(folio)	page_to_nid(&(folio)->page)
#define folio_nr_pages(folio)	(test_bit(PG_head, &(folio)->page.flags) ? \
				 1ul << ((folio)[1].page.flags & 0xff) : 1)
#define folio_test_lru(folio)	test_bit(PG_lru, &(folio)->page.flags)

static inline bool folio_try_get(struct folio *folio)
{
	int count = READ_ONCE(folio->page.refcount);

	do {
		if (!count)
			return false;
	} while (!try_cmpxchg(&folio->page.refcount, &count, count + 1));
	return true;
}

static inline void folio_put(struct folio *folio)
{
	__atomic_fetch_sub(&folio->page.refcount, 1, __ATOMIC_SEQ_CST);
}

#endif /* _LINUX_MM_H */
