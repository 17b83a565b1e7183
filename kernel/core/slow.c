// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The set of slow nodes, and where fast nodes demote to
 */
#include <linux/limits.h>
#include <linux/topology.h>

#include "core/slow.h"
#include "wrapper/placement.h"

nodemask_t pghot_slow_nodes;

/**
 * pghot_slow_target() - the slow node that memory of a fast one is demoted to
 * @nid: the fast node, with memory
 *
 * Any context. It is the one that the kernel demotes to. Where the kernel knows no slower tier,
 * because the administrator has named the slow nodes, it is the nearest of them.
 *
 * Return: node id; NUMA_NO_NODE if there is none, or if demotion is not enabled.
 */
int pghot_slow_target(int nid)
{
	int best = NUMA_NO_NODE, distance = INT_MAX, slow;

	if (!pghot_placement_demotion_enabled())
		return NUMA_NO_NODE;
	slow = pghot_placement_demotion_target(nid);
	if (slow != NUMA_NO_NODE && pghot_is_slow(slow))
		return slow;
	for_each_node_mask(slow, pghot_slow_nodes) {
		if (node_distance(nid, slow) < distance) {
			distance = node_distance(nid, slow);
			best = slow;
		}
	}
	return best;
}
