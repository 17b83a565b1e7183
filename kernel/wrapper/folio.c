// SPDX-License-Identifier: GPL-2.0
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/vmstat.h>

#include "folio.h"
#include "functions.h"

/**
 * folio_isolate() - take a folio off its LRU list
 * @folio: the folio, referenced by the caller
 *
 * Process context. On success the LRU's reference is the caller's, in addition
 * to the one the caller has, and the folio counts as isolated until
 * folios_migrate().
 *
 * Return: false if it is not on a list.
 */
bool folio_isolate(struct folio *folio)
{
	if (!static_call(pghot_folio_isolate_lru)(folio))
		return false;
	mod_node_page_state(folio_pgdat(folio), NR_ISOLATED_ANON + folio_is_file_lru(folio),
			    folio_nr_pages(folio));
	return true;
}

/* As the kernel allocates for its own promotion: from that node, without reclaim. */
static struct folio *alloc_dst(struct folio *src, unsigned long nid)
{
	int order = folio_order(src);
	gfp_t gfp = __GFP_THISNODE | __GFP_NOWARN;

	if (order)
		gfp |= GFP_TRANSHUGE_LIGHT;
	else
		gfp |= (GFP_HIGHUSER_MOVABLE | __GFP_NOMEMALLOC | __GFP_NORETRY) & ~__GFP_RECLAIM;
	return __folio_alloc_node(gfp, order, nid);
}

/**
 * folios_migrate() - move isolated folios to a node
 * @folios: list of folios from folio_isolate(); empty afterwards
 * @nid: the node, with memory
 *
 * Process context, sleeps. What could not be moved goes back to its LRU list.
 *
 * Return: number of base pages moved.
 */
unsigned int folios_migrate(struct list_head *folios, int nid)
{
	unsigned int moved = 0;

	static_call(pghot_migrate_pages)(folios, alloc_dst, NULL, nid, MIGRATE_ASYNC,
					 MR_NUMA_MISPLACED, &moved);
	if (!list_empty(folios))
		static_call(pghot_putback_movable_pages)(folios);
	return moved;
}
