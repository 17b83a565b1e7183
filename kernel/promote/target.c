// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Finding a fast node with room
 *
 * The administrator may have chosen a node. Otherwise the node that should have the page is tried
 * first, and then the other fast nodes by distance. A node that is full gets its kswapd woken.
 */
#include <linux/limits.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

#include "core/slow.h"
#include "core/tunable.h"
#include "policy/way.h"
#include "promote/promoter.h"
#include "promote/room.h"
#include "promote/target.h"
#include "wrapper/placement.h"

PGHOT_TUNABLE(target_nid, "Node to promote to, -1: the one that uses the page. (-1)",
	      .doors = TUNABLE_SYSCTL | TUNABLE_DEBUGFS,
	      .min = NUMA_NO_NODE,
	      .max = BOTH_MODES(MAX_NUMNODES - 1),
	      .initial = BOTH_MODES(NUMA_NO_NODE),
	      .is_node = true);

/* The fast node nearest to @nid that is in @allowed and not in @tried, or NUMA_NO_NODE. */
static int nearest_fast(int nid, const nodemask_t *tried, const nodemask_t *allowed)
{
	int best = NUMA_NO_NODE, distance = INT_MAX, i;

	/* This is done for each page. Node masks are much longer than there are nodes here. */
	for (i = 0; i < nr_node_ids; i++) {
		if (!node_isset(i, *allowed) || pghot_is_slow(i) || node_isset(i, *tried))
			continue;
		if (node_distance(nid, i) < distance) {
			distance = node_distance(nid, i);
			best = i;
		}
	}
	return best;
}

/* Is there room? If not, asks the kernel to make some, and adds the node to @tried. */
static bool has_room(int nid, unsigned int nr_pages, nodemask_t *tried)
{
	if (pghot_placement_has_room(nid, nr_pages, pghot_promoter_on_way(nid)))
		return true;
	if (pghot_way_is_auto() && pghot_slow_target(nid) != NUMA_NO_NODE)
		pghot_room_lacks(nid, nr_pages);
	else
		pghot_placement_make_room(nid, nr_pages);
	node_set(nid, *tried);
	return false;
}

/**
 * pghot_target_nearest() - the fast node nearest to a node
 * @nid: the node
 *
 * Any context.
 *
 * Return: node id, NUMA_NO_NODE if there is no fast node with memory.
 */
int pghot_target_nearest(int nid)
{
	return nearest_fast(nid, &NODE_MASK_NONE, &node_states[N_MEMORY]);
}

/**
 * pghot_target_all_in() - are these all nodes that pages can be promoted to by themselves?
 * @nodes: some nodes
 *
 * Any context. A slow node that the administrator has chosen as a target does not count.
 *
 * Return: true if every fast node with memory is among @nodes.
 */
bool pghot_target_all_in(const nodemask_t *nodes)
{
	return nearest_fast(first_memory_node, nodes, &node_states[N_MEMORY]) == NUMA_NO_NODE;
}

/**
 * pghot_target_exists() - is there a node that pages may be promoted to?
 * @allowed: nodes with memory that are allowed
 *
 * Any context.
 *
 * Return: true if a fast node is among them, or the administrator's choice.
 */
bool pghot_target_exists(const nodemask_t *allowed)
{
	int chosen = pghot_tunable_get(&pghot_target_nid);

	return (chosen != NUMA_NO_NODE && node_isset(chosen, *allowed)) ||
	       nearest_fast(first_memory_node, &NODE_MASK_NONE, allowed) != NUMA_NO_NODE;
}

/**
 * pghot_target_first() - where pghot_target_pick() would promote a page if nothing were against it
 * @slow: slow node that the page is on
 * @preferred: node that it should go to, NUMA_NO_NODE if none is better than others
 *
 * Any context.
 *
 * Return: node id, NUMA_NO_NODE if there is no fast node with memory.
 */
int pghot_target_first(int slow, int preferred)
{
	int chosen = pghot_tunable_get(&pghot_target_nid);

	if (chosen != NUMA_NO_NODE)
		return chosen;
	return pghot_target_nearest(preferred == NUMA_NO_NODE ? slow : preferred);
}

/**
 * pghot_target_pick() - where to promote a page
 * @slow: slow node that the page is on
 * @preferred: node that it should go to, NUMA_NO_NODE if none is better than others
 * @nr_pages: size of the folio, in base pages
 * @allowed: nodes with memory that it may go to
 *
 * The administrator's choice (target_nid) comes before @preferred, and may be any
 * node with memory, slow ones and those without CPUs included. A node that is full, not
 * allowed, or slow without being chosen, gives way to the fast node nearest to it that has
 * room and is allowed.
 * A full node gets its kswapd woken, as the kernel's own promotion does, so that
 * demotion can make room there.
 *
 * Process context.
 *
 * Return: node id; @slow itself if it was chosen, and the page stays; NUMA_NO_NODE if no
 * node has room.
 */
int pghot_target_pick(int slow, int preferred, unsigned int nr_pages, const nodemask_t *allowed)
{
	int chosen = pghot_tunable_get(&pghot_target_nid), nid;
	nodemask_t tried = NODE_MASK_NONE;

	if (chosen == slow)
		return slow;
	if (chosen != NUMA_NO_NODE && node_isset(chosen, *allowed)) {
		if (has_room(chosen, nr_pages, &tried))
			return chosen;
		preferred = chosen;
	}
	if (preferred == NUMA_NO_NODE)
		preferred = slow;
	while ((nid = nearest_fast(preferred, &tried, allowed)) != NUMA_NO_NODE) {
		if (has_room(nid, nr_pages, &tried))
			return nid;
	}
	return NUMA_NO_NODE;
}
