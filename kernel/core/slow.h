/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The slow nodes
 *
 * Slow nodes are those that pghot keeps records for and promotes from.
 */
#ifndef PGHOT_CORE_SLOW_H
#define PGHOT_CORE_SLOW_H

#include <linux/mmzone.h>
#include <linux/nodemask.h>

/* Only promote/tiers.c changes it, as memory comes and goes. */
extern nodemask_t pghot_slow_nodes;

/**
 * pghot_is_slow() - is this a slow node?
 * @nid: node id
 *
 * Any context.
 */
static __always_inline bool pghot_is_slow(int nid)
{
	return node_isset(nid, pghot_slow_nodes);
}

/**
 * pghot_may_be_slow() - may this be memory of a slow node?
 * @pfn: any number
 *
 * Any context. It looks at no struct page. The memory of nodes may be interleaved, so that
 * some pages within the range of a slow node are not on that node.
 */
static inline bool pghot_may_be_slow(unsigned long pfn)
{
	int nid;

	for_each_node_mask(nid, pghot_slow_nodes) {
		if (pfn >= node_start_pfn(nid) && pfn < node_end_pfn(nid))
			return true;
	}
	return false;
}

int pghot_slow_target(int nid);

#endif /* PGHOT_CORE_SLOW_H */
