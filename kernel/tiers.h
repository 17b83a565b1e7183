/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which nodes are slow, and what runs for each of them, as memory comes and goes.
 */
#ifndef PGHOT_TIERS_H
#define PGHOT_TIERS_H

#include <linux/mmzone.h>
#include <linux/nodemask.h>

extern nodemask_t pghot_slow_nodes;

int tiers_start(void);
void tiers_stop(void);

/**
 * tiers_is_slow() - does pghot promote from this node?
 * @nid: node id
 *
 * Any context.
 */
static __always_inline bool tiers_is_slow(int nid)
{
	return node_isset(nid, pghot_slow_nodes);
}

/**
 * tiers_may_be_slow() - may this be memory of a node that pghot promotes from?
 * @pfn: any number
 *
 * Any context. Looks at no struct page: nodes' memory may be interleaved, so that some within
 * the range of a slow node is none of it.
 */
static inline bool tiers_may_be_slow(unsigned long pfn)
{
	int nid;

	for_each_node_mask(nid, pghot_slow_nodes) {
		if (pfn >= node_start_pfn(nid) && pfn < node_end_pfn(nid))
			return true;
	}
	return false;
}

#endif /* PGHOT_TIERS_H */
