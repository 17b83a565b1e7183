// SPDX-License-Identifier: GPL-2.0
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

/* Does some zone of a node keep @extra pages free above a watermark? */
static bool some_zone_above(int nid, enum zone_watermarks mark, unsigned long extra)
{
	pg_data_t *pgdat = NODE_DATA(nid);
	int z;

	for (z = pgdat->nr_zones - 1; z >= 0; z--) {
		struct zone *zone = &pgdat->node_zones[z];

		if (managed_zone(zone) &&
		    static_call(pghot_zone_watermark_ok)(zone, 0, wmark_pages(zone, mark) + extra,
							 ZONE_MOVABLE, 0))
			return true;
	}
	return false;
}

/**
 * pghot_placement_knows_demotion() - can pghot_placement_can_demote() tell, on this kernel?
 *
 * Any context.
 */
bool pghot_placement_knows_demotion(void)
{
	return pghot_numa_demotion_enabled && static_call_query(pghot_next_demotion_node);
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
	       static_call(pghot_next_demotion_node)(nid) != NUMA_NO_NODE;
}

/*
 * Does kswapd of a node make room for promotion by demotion, though NUMA balancing's
 * tiering mode is off?
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
 *
 * Process context. The kernel's own rule for promotion: some zone stays above
 * its high watermark, so kswapd is not woken by the allocation. Tiering mode makes
 * kswapd reclaim beyond that. Else it stops there: on nodes that demote, promotion may
 * then use what is above the low watermark.
 */
bool pghot_placement_has_room(int nid, unsigned int nr_pages)
{
	return some_zone_above(nid, WMARK_HIGH, nr_pages) ||
	       (demotes_without_tiering(nid) && some_zone_above(nid, WMARK_LOW, nr_pages));
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
	return some_zone_above(nid, WMARK_PROMO,
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
