// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Isolating and migrating folios with the kernel's functions
 *
 * A folio is found and referenced by the number of one of its pages. Folios are isolated, moved and
 * put back by the functions that the kernel's own promotion uses. Some questions about a folio are
 * answered here as well: whether it is pinned, and whether it belongs on an LRU list.
 */
#include <linux/gfp.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/vmstat.h>

#include "testing/inject.h"
#include "wrapper/folio.h"
#include "wrapper/foliolist.h"
#include "wrapper/functions.h"

/**
 * pghot_folio_get() - reference the folio that a page belongs to
 * @pfn: the page frame, any number
 *
 * Any context.
 *
 * Return: the folio, for folio_put(); NULL if the page is not online, or nobody uses it.
 */
struct folio *pghot_folio_get(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page)
		return NULL;
	folio = page_folio(page);
	if (!folio_try_get(folio))
		return NULL;
	/* Meanwhile it may have been freed, and be a part of another one. */
	if (folio == page_folio(page))
		return folio;
	folio_put(folio);
	return NULL;
}

/**
 * pghot_folio_scan_latency_ms() - how long NUMA balancing had been waiting for a hint fault
 * @folio: the folio, of a slow node in tiering mode, mapped
 *
 * Any context. As the kernel does in the fault, sets the folio's scan time to now.
 *
 * Return: ms from the scan that marked it until now.
 */
unsigned int pghot_folio_scan_latency_ms(struct folio *folio)
{
	int now = jiffies_to_msecs(jiffies);
	int then = static_call(pghot_folio_xchg_last_cpupid)(folio,
							     now >> PAGE_ACCESS_TIME_BUCKETS);

	return (now - (then << PAGE_ACCESS_TIME_BUCKETS)) & PAGE_ACCESS_TIME_MASK;
}

/**
 * pghot_folio_isolate() - take a folio off its LRU list
 * @folio: the folio, referenced by the caller
 *
 * Process context. On success the LRU's reference is the caller's, in addition
 * to the one the caller has, and the folio counts as isolated until
 * pghot_folios_migrate().
 *
 * Return: false if it is not on a list.
 */
bool pghot_folio_isolate(struct folio *folio)
{
	if (pghot_inject(INJECT_ISOLATE) || !static_call(pghot_folio_isolate_lru)(folio))
		return false;
	mod_node_page_state(folio_pgdat(folio), NR_ISOLATED_ANON + folio_is_file_lru(folio),
			    folio_nr_pages(folio));
	return true;
}

/* Allocates as the kernel does for its own promotion: from that node, without reclaim. */
static struct folio *alloc_dst(struct folio *src, unsigned long private)
{
	const struct folio_move *move = (const struct folio_move *)private;
	int order = folio_order(src);
	gfp_t gfp = __GFP_THISNODE | __GFP_NOWARN;
	struct folio *dst;

	if (pghot_inject(INJECT_MIGRATE))
		return NULL;
	if (order)
		gfp |= GFP_TRANSHUGE_LIGHT;
	else
		gfp |= (GFP_HIGHUSER_MOVABLE | __GFP_NOMEMALLOC | __GFP_NORETRY) & ~__GFP_RECLAIM;
	dst = __folio_alloc_node(gfp, order, move->nid);
	if (dst && move->goes_to)
		move->goes_to(folio_pfn(dst));
	return dst;
}

/*
 * Base pages that are unmapped at a time. migrate_pages() unmaps all pages of its list before it
 * copies the first one. Then it has all CPUs that their processes run on flush their TLBs, once. A
 * thread that touches one of these pages sleeps until the whole list is done.
 *
 * So a longer list costs less time of other CPUs: for each page, the flush of all CPUs divided by
 * the length. But threads sleep more. A page that is used r times a second and is unmapped for L
 * seconds has r L uses meanwhile, which sleep for L / 2 each. That is r L^2 / 2, and L grows with
 * the length. The sum is least where the length grows with the cube root of the number of CPUs.
 *
 * In the lab, 8 was best of 4, 8, 16, 32 and 512 with 4 and 8 CPUs. That gives 4 as the factor, and
 * 21 pages for 128 CPUs. Idle pages are demoted in lists of 8 as well: with 32, the lab's case
 * "cold" took 4 % longer.
 */
#define UNMAPPED_MIN	8u
#define UNMAPPED_FACTOR	4u

static unsigned int unmapped_max(const struct folio_move *move)
{
	unsigned int cube = UNMAPPED_FACTOR * UNMAPPED_FACTOR * UNMAPPED_FACTOR * move->cpus;
	unsigned int nr = UNMAPPED_MIN;

	while (nr * nr * nr < cube)
		nr++;
	return nr;
}

/* Move the first folios of @from to @to, up to @max base pages, at least one. */
static void take_some(struct list_head *from, struct list_head *to, unsigned int max)
{
	struct folio *folio, *next;
	unsigned int nr = 0;

	list_for_each_entry_safe(folio, next, from, lru) {
		nr += folio_nr_pages(folio);
		if (nr > max && !list_empty(to))
			return;
		pghot_folio_move(folio, to);
	}
}

/* All folios of the list, which are of one node, count as isolated once more, or once less. */
static void count_isolated(struct list_head *folios, bool more)
{
	struct folio *folio;

	list_for_each_entry(folio, folios, lru) {
		long nr = folio_nr_pages(folio);

		mod_node_page_state(folio_pgdat(folio),
				    NR_ISOLATED_ANON + folio_is_file_lru(folio), more ? nr : -nr);
	}
}

/**
 * pghot_folios_migrate() - move isolated folios to a node
 * @folios: list of folios from pghot_folio_isolate(); empty afterwards
 * @move: where to, and why
 * @failed: where to add those that could not be moved, for pghot_folios_putback()
 *
 * Process context, sleeps.
 *
 * Return: number of base pages moved.
 */
unsigned int pghot_folios_migrate(struct list_head *folios, const struct folio_move *move,
				  struct list_head *failed)
{
	unsigned int max = unmapped_max(move), moved, total = 0;
	LIST_HEAD(some);

	while (!list_empty(folios)) {
		take_some(folios, &some, max);
		moved = 0;
		/* Of what is demoted, migrate_pages() leaves the counting to its caller. */
		if (move->demotes)
			count_isolated(&some, false);
		static_call(pghot_migrate_pages)(&some, alloc_dst, NULL, (unsigned long)move,
						 MIGRATE_ASYNC,
						 move->demotes ? MR_DEMOTION : MR_NUMA_MISPLACED,
						 &moved);
		if (move->demotes)
			count_isolated(&some, true);
		pghot_folios_move(&some, failed);
		total += moved;
	}
	return total;
}

/**
 * pghot_folios_putback() - put isolated folios back on their LRU lists
 * @folios: list of folios from pghot_folio_isolate(); empty afterwards
 *
 * Process context, sleeps.
 */
void pghot_folios_putback(struct list_head *folios)
{
	if (!list_empty(folios))
		static_call(pghot_putback_movable_pages)(folios);
}

/**
 * pghot_folio_split() - make small folios of a huge one
 * @folio: the folio, anonymous, referenced by the caller
 *
 * Process context, sleeps. Its pages stay where they are, and are mapped one by one. The caller's
 * reference is that of the first one.
 *
 * Return: whether it was split. It is not if somebody else holds it, or this kernel cannot.
 */
bool pghot_folio_split(struct folio *folio)
{
	int ret = -EBUSY;

	if (!static_call_query(pghot_split_huge_page_to_list_to_order) || !folio_trylock(folio))
		return false;
	if (folio_test_large(folio) && folio_test_anon(folio) && !folio_test_hugetlb(folio))
		ret = static_call(pghot_split_huge_page_to_list_to_order)(&folio->page, NULL, 0);
	folio_unlock(folio);
	return !ret;
}

/* Does it belong to a driver that can move it? */
static bool is_movable(const struct folio *folio)
{
	/* Since 6.17 such pages have a type. */
#ifdef PAGE_MAPPING_MOVABLE
	return __folio_test_movable(folio);
#else
	return false;
#endif
}

/**
 * pghot_folio_may_be_lru() - is this a folio that belongs on an LRU list?
 * @folio: the folio, referenced by the caller
 *
 * Any context.
 *
 * Return: true for memory of processes and files, though it may be off its list for a moment.
 * False for what has become memory of the kernel (slab, page tables) or of a driver.
 */
bool pghot_folio_may_be_lru(struct folio *folio)
{
	return !page_has_type(&folio->page) && READ_ONCE(folio->mapping) && !is_movable(folio);
}

/**
 * pghot_folio_is_pinned() - does somebody write to this folio by its physical address?
 * @folio: the folio, referenced by the caller
 *
 * Any context. A pin of a small folio is GUP_PIN_COUNTING_BIAS references, so that many
 * mappings, which have a reference each, look like a pin to folio_maybe_dma_pinned().
 *
 * Return: true if it is pinned for DMA. The answer can be wrong for a moment, while so many users
 * map or unmap the folio at the same time.
 */
bool pghot_folio_is_pinned(struct folio *folio)
{
	if (folio_test_large(folio))
		return folio_maybe_dma_pinned(folio);
	return folio_ref_count(folio) - folio_mapcount(folio) >= (int)GUP_PIN_COUNTING_BIAS;
}

/**
 * pghot_folio_maybe_shared() - do several processes seem to map a folio?
 * @folio: the folio, referenced by the caller
 *
 * Any context. The answer can be wrong for files, and for large folios that were mapped in part.
 */
bool pghot_folio_maybe_shared(struct folio *folio)
{
#ifdef PGHOT_HAS_MAYBE_MAPPED_SHARED
	return folio_maybe_mapped_shared(folio);
#else
	return folio_likely_mapped_shared(folio);
#endif
}
