// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Asking the kernel about tiers, watermarks and demotion
 *
 * The rules by which the kernel decides whether a node has room for promotion are repeated here,
 * with the kernel's own functions.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched/sysctl.h>
#include <linux/sizes.h>

#include "wrapper/functions.h"
#include "wrapper/placement.h"

/**
 * pghot_placement_is_toptier() - is this node in the fastest memory tier?
 * @nid: node id, online
 *
 * Any context. A node that the kernel knows no tier for counts as top tier.
 */
bool pghot_placement_is_toptier(int nid)
{
	return static_call(pghot_node_is_toptier)(nid);
}

/**
 * pghot_placement_tiering_enabled() - is kernel.numa_balancing in tiering mode?
 *
 * Any context.
 */
bool pghot_placement_tiering_enabled(void)
{
	return READ_ONCE(*pghot_numa_balancing_mode) & NUMA_BALANCING_MEMORY_TIERING;
}

/*
 * Has a zone a free block of 2^@order pages, and are @extra pages free above a watermark besides
 * all but one of its pages?
 */
static bool zone_above(struct zone *zone, unsigned int order, enum zone_watermarks mark,
		       unsigned long extra)
{
	return managed_zone(zone) &&
	       static_call(pghot_zone_watermark_ok)(zone, order, wmark_pages(zone, mark) + extra,
						    ZONE_MOVABLE, 0);
}

/* Has some zone of a node? */
static bool some_zone_above(int nid, unsigned int order, enum zone_watermarks mark,
			    unsigned long extra)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	int z;

	for (z = pgdat->nr_zones - 1; z >= 0; z--)
		if (zone_above(&pgdat->node_zones[z], order, mark, extra))
			return true;
	return false;
}

/* Where the kernel demotes from a node; NUMA_NO_NODE if it knows no slower tier. */
static int demotion_node(int nid)
{
#ifdef PGHOT_HAS_DEMOTION_MASK
	nodemask_t slower;

	/* With none of these allowed, the kernel's function would name any node. */
	static_call(pghot_node_get_allowed_targets)(NODE_DATA(nid), &slower);
	if (nodes_empty(slower))
		return NUMA_NO_NODE;
	return static_call(pghot_next_demotion_node)(nid, &slower);
#else
	return static_call(pghot_next_demotion_node)(nid);
#endif
}

/**
 * pghot_placement_knows_demotion() - can pghot_placement_can_demote() tell, on this kernel?
 *
 * Any context.
 */
bool pghot_placement_knows_demotion(void)
{
	return pghot_numa_demotion_enabled && static_call_query(pghot_next_demotion_node) &&
	       static_call_query(pghot_node_get_allowed_targets);
}

/**
 * pghot_placement_can_demote() - does reclaim of this node demote before it swaps?
 * @nid: node id
 *
 * Any context. Only where pghot_placement_knows_demotion().
 *
 * Return: true if demotion is enabled and there is a slower tier below the node.
 */
bool pghot_placement_can_demote(int nid)
{
	return READ_ONCE(*pghot_numa_demotion_enabled) &&
	       demotion_node(nid) != NUMA_NO_NODE;
}

/*
 * Is NUMA balancing's tiering mode off, and does kswapd of a node make room for promotion all the
 * same, by demotion?
 */
static bool demotes_without_tiering(int nid)
{
	return !pghot_placement_tiering_enabled() && pghot_placement_knows_demotion() &&
	       pghot_placement_can_demote(nid);
}

/**
 * pghot_placement_has_room() - can a node take a folio without going short itself?
 * @nid: node id, with memory
 * @nr_pages: size of the folio, in base pages
 * @on_way: base pages that are on their way there already
 *
 * Process context. The kernel's own rule for promotion is that some zone stays above its high
 * watermark, so that the allocation does not wake kswapd. In tiering mode kswapd reclaims beyond
 * the high watermark, which leaves room for promotion. Otherwise it stops there and would leave
 * none. So on nodes that demote, promotion may then use what is above the low watermark.
 */
bool pghot_placement_has_room(int nid, unsigned int nr_pages, unsigned int on_way)
{
	/* Who promotes does not wait for memory to be compacted: there has to be a free block. */
	unsigned int order = ilog2(nr_pages);

	return some_zone_above(nid, order, WMARK_HIGH, on_way + 1) ||
	       (demotes_without_tiering(nid) && some_zone_above(nid, order, WMARK_LOW, on_way + 1));
}

/**
 * pghot_placement_is_roomy() - has a node so much free memory that anything may come?
 * @nid: node id, with memory
 *
 * Process context. The kernel's own rule for promotion without limits: some zone has
 * the larger of 1 GiB and a 16th of the node free above its promotion watermark.
 */
bool pghot_placement_is_roomy(int nid)
{
	return some_zone_above(nid, 0, WMARK_PROMO,
			       max(SZ_1G >> PAGE_SHIFT, NODE_DATA(nid)->node_present_pages >> 4));
}

/**
 * pghot_placement_make_room() - have kswapd of a node reclaim, or demote
 * @nid: node id, with memory
 * @nr_pages: size of the folio that found no room, in base pages
 *
 * Process context. As the kernel's own promotion, only in tiering mode.
 */
void pghot_placement_make_room(int nid, unsigned int nr_pages)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	int z;

	if (!pghot_placement_tiering_enabled() && !demotes_without_tiering(nid))
		return;
	for (z = pgdat->nr_zones - 1; z >= 0; z--) {
		if (managed_zone(&pgdat->node_zones[z])) {
			static_call(pghot_wakeup_kswapd)(&pgdat->node_zones[z], 0,
							 ilog2(nr_pages), ZONE_MOVABLE);
			return;
		}
	}
}

/**
 * pghot_placement_free() - how much memory of a node is free for what moves there
 * @nid: node id, with memory
 *
 * Any context.
 *
 * Return: base pages above the high watermarks of its zones, but for what zones keep for memory
 * that can be nowhere else; at least 0.
 */
long pghot_placement_free(int nid)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	long free = 0;
	int z;

	for (z = 0; z < pgdat->nr_zones; z++) {
		struct zone *zone = &pgdat->node_zones[z];

		if (managed_zone(zone))
			free += max((long)zone_page_state(zone, NR_FREE_PAGES) -
				    (long)high_wmark_pages(zone) -
				    zone->lowmem_reserve[ZONE_MOVABLE], 0l);
	}
	return free;
}

/**
 * pghot_placement_free_all() - how much memory of a node is free
 * @nid: node id, with memory
 *
 * Any context. Asks each CPU.
 *
 * Return: base pages, those below the watermarks and in the lists of CPUs included.
 */
long pghot_placement_free_all(int nid)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	long free = 0;
	int z, cpu;

	for (z = 0; z < pgdat->nr_zones; z++) {
		struct zone *zone = &pgdat->node_zones[z];

		if (!managed_zone(zone))
			continue;
		free += zone_page_state_snapshot(zone, NR_FREE_PAGES);
		for_each_online_cpu(cpu)
			/* Without the list's lock: it is a guess anyway. */
			free += data_race(per_cpu_ptr(zone->per_cpu_pageset, cpu)->count);
	}
	return free;
}

/**
 * pghot_placement_free_huge() - how much memory of a node is free in huge pages
 * @nid: node id, with memory
 *
 * Any context.
 *
 * Return: base pages, of zones that may give one away.
 */
long pghot_placement_free_huge(int nid)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	unsigned int order;
	long free = 0;
	int z;

	for (z = 0; z < pgdat->nr_zones; z++) {
		struct zone *zone = &pgdat->node_zones[z];

		if (!zone_above(zone, HPAGE_PMD_ORDER, WMARK_HIGH, 1))
			continue;
		for (order = HPAGE_PMD_ORDER; order < NR_PAGE_ORDERS; order++)
			/* Without the zone's lock: it is a guess anyway. */
			free += data_race(zone->free_area[order].nr_free) << order;
	}
	return free;
}

static unsigned long node_pages(int nid, enum node_stat_item item)
{
	long nr = atomic_long_read(&NODE_DATA(nid)->vm_stat[item]);

	return max(nr, 0l);
}

/**
 * pghot_placement_mapped() - how much memory of a node processes have mapped
 * @nid: node id, with memory
 *
 * Any context.
 *
 * Return: base pages, nearly: CPUs tell of what they map now and then.
 */
unsigned long pghot_placement_mapped(int nid)
{
	return node_pages(nid, NR_ANON_MAPPED) + node_pages(nid, NR_FILE_MAPPED);
}

/**
 * pghot_placement_huge() - how much memory of a node is in huge pages of processes
 * @nid: node id, with memory
 *
 * Any context. Huge pages of files do not count.
 *
 * Return: base pages, nearly.
 */
unsigned long pghot_placement_huge(int nid)
{
	return node_pages(nid, NR_ANON_THPS);
}

/**
 * pghot_placement_locked() - how much memory of a node must stay in memory
 * @nid: node id, with memory
 *
 * Any context. Above all that is what processes have locked. Reclaim does not demote it.
 *
 * Return: base pages, nearly.
 */
unsigned long pghot_placement_locked(int nid)
{
	return node_pages(nid, NR_UNEVICTABLE);
}

/**
 * pghot_placement_cached() - how much page cache of a node nobody has mapped
 * @nid: node id, with memory
 *
 * Any context.
 *
 * Return: base pages, nearly.
 */
unsigned long pghot_placement_cached(int nid)
{
	unsigned long used = node_pages(nid, NR_FILE_MAPPED) + node_pages(nid, NR_SHMEM);
	unsigned long all = node_pages(nid, NR_FILE_PAGES);

	return all - min(all, used);
}

/**
 * pghot_placement_demotion_target() - where the kernel demotes from a node
 * @nid: node id, with memory
 *
 * Any context. Only where pghot_placement_knows_demotion().
 *
 * Return: node id; NUMA_NO_NODE if the kernel knows no slower tier.
 */
int pghot_placement_demotion_target(int nid)
{
	return demotion_node(nid);
}

/**
 * pghot_placement_demotion_enabled() - has the administrator allowed demotion?
 *
 * Any context.
 */
bool pghot_placement_demotion_enabled(void)
{
	return pghot_placement_knows_demotion() && READ_ONCE(*pghot_numa_demotion_enabled);
}
