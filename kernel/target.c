// SPDX-License-Identifier: GPL-2.0
#include <linux/limits.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

#include "hotmap.h"
#include "target.h"
#include "wrapper/placement.h"

/* The fast node nearest to @nid that is not in @tried, or NUMA_NO_NODE. */
static int nearest_fast(int nid, const nodemask_t *tried)
{
	int best = NUMA_NO_NODE, distance = INT_MAX, i;

	for_each_node_state(i, N_MEMORY) {
		if (!placement_is_toptier(i) || node_isset(i, *tried))
			continue;
		if (node_distance(nid, i) < distance) {
			distance = node_distance(nid, i);
			best = i;
		}
	}
	return best;
}

/**
 * target_nearest() - the fast node nearest to a node
 * @nid: the node
 *
 * Any context.
 *
 * Return: node id, NUMA_NO_NODE if there is no fast node with memory.
 */
int target_nearest(int nid)
{
	return nearest_fast(nid, &NODE_MASK_NONE);
}

/**
 * target_pick() - where to promote a page
 * @slow: slow node that the page is on
 * @accessor: node that the page was accessed from, NUMA_NO_NODE if unknown
 * @nr_pages: size of the folio, in base pages
 *
 * Memory goes to the node that uses it, and if that is full, or slow itself, to
 * the next nearest fast node with room. A full node gets its kswapd woken, as
 * the kernel's own promotion does, so that demotion can make room there.
 *
 * Process context.
 *
 * Return: node id, NUMA_NO_NODE if no fast node has room.
 */
int target_pick(int slow, int accessor, unsigned int nr_pages)
{
	int origin = accessor == NUMA_NO_NODE ? slow : accessor;
	nodemask_t tried = NODE_MASK_NONE;
	int nid;

	while ((nid = nearest_fast(origin, &tried)) != NUMA_NO_NODE) {
		if (placement_has_room(nid, nr_pages))
			return nid;
		placement_make_room(nid, nr_pages);
		node_set(nid, tried);
	}
	return NUMA_NO_NODE;
}
