/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Counters for each node
 *
 * They tell what becomes of ready pages. The values of one node are files of
 * /sys/kernel/mm/pghot/node<N>/, and the sums over all nodes are files of
 * /sys/kernel/mm/pghot/stats/.
 */
#ifndef PGHOT_CORE_NODESTAT_H
#define PGHOT_CORE_NODESTAT_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * enum pghot_node_stat - what is counted for each node; pages are base pages
 * @NODE_STAT_PROMOTED: pages promoted from this node
 * @NODE_STAT_REFUSED_FULL: ready pages kept back, as no node had room; the first base
 *	page stands for all that its pass would have met after it
 * @NODE_STAT_REFUSED_DIRTY: ready pages kept back, as page cache that is being written,
 *	or dirty on a file system that cannot move it so
 * @NODE_STAT_REFUSED_PINNED: ready pages kept back, as pinned
 * @NODE_STAT_REFUSED_COLD: ready pages kept back by the hot threshold
 * @NODE_STAT_REFUSED_RATE: ready pages kept back by the rate limit
 * @NODE_STAT_REFUSED_POLICY: ready pages that memory policy or cpuset keeps where they are, and
 *	code that several processes run
 * @NODE_STAT_REFUSED_SHARE: ready pages kept back, as their memory cgroup had used its share of
 *	CPU time
 * @NODE_STAT_REFUSED_CGROUP: ready pages kept back, or dropped, for the limit of their control
 *	group
 * @NODE_STAT_FAILED_ISOLATE: ready pages that were off their LRU list
 * @NODE_STAT_FAILED_MIGRATE: pages isolated, but not promoted
 * @NODE_STAT_REFUSED_BOUNCE: ready pages that were demoted just before, and are held back
 * @NODE_STAT_EXPIRED: ready records dropped, a folio each, as they were not promoted for as
 *	long as records remember
 * @NODE_STAT_PASSES: looks of kmigrated at what is ready
 * @NODE_STAT_BATCHES: batches that it promoted
 * @NODE_STAT_KMIGRATED_CPU_NS: CPU time of promotion, ns
 * @NODE_STAT_PASSES_CPU_NS: of it, that of kmigrated's looks, ns
 * @NODE_STAT_DEMOTED: pages that pghot demoted from this node
 * @NODE_STAT_RECEIVED: pages promoted to this node
 * @NODE_STAT_ROOM_TAKEN: pages of room that pghot made on this node, and that others took
 * @NODE_STAT_CANDIDATES: pages that asked for a place on this node while it was short
 *	of memory
 * @NODE_STAT_HOT_THRESHOLD_MS: age at which pages are too cold for this node now, ms
 * @PGHOT_NR_NODE_STATS: number of counters
 */
enum pghot_node_stat {
	NODE_STAT_PROMOTED,
	NODE_STAT_REFUSED_FULL,
	NODE_STAT_REFUSED_DIRTY,
	NODE_STAT_REFUSED_PINNED,
	NODE_STAT_REFUSED_COLD,
	NODE_STAT_REFUSED_RATE,
	NODE_STAT_REFUSED_POLICY,
	NODE_STAT_REFUSED_SHARE,
	NODE_STAT_REFUSED_CGROUP,
	NODE_STAT_REFUSED_BOUNCE,
	NODE_STAT_FAILED_ISOLATE,
	NODE_STAT_FAILED_MIGRATE,
	NODE_STAT_EXPIRED,
	NODE_STAT_PASSES,
	NODE_STAT_BATCHES,
	NODE_STAT_KMIGRATED_CPU_NS,
	NODE_STAT_PASSES_CPU_NS,
	NODE_STAT_DEMOTED,
	NODE_STAT_RECEIVED,
	NODE_STAT_ROOM_TAKEN,
	NODE_STAT_CANDIDATES,
	NODE_STAT_HOT_THRESHOLD_MS,
	PGHOT_NR_NODE_STATS,
};

/**
 * struct node_stats - the counters of one node
 * @nr: by enum pghot_node_stat
 */
struct node_stats {
	atomic_long_t nr[PGHOT_NR_NODE_STATS];
};

extern struct node_stats *pghot_node_stats;

int pghot_nodestat_init(void);
void pghot_nodestat_exit(void);
const char *pghot_nodestat_name(enum pghot_node_stat stat);
unsigned long pghot_nodestat_sum(enum pghot_node_stat stat);

/**
 * pghot_nodestat_add() - count for a node
 * @nid: the node
 * @stat: the counter
 * @nr: how much to add
 *
 * Any context, between pghot_nodestat_init() and pghot_nodestat_exit().
 */
static inline void pghot_nodestat_add(int nid, enum pghot_node_stat stat, unsigned long nr)
{
	atomic_long_add(nr, &pghot_node_stats[nid].nr[stat]);
}

/**
 * pghot_nodestat_set() - say how something stands now
 * @nid: the node
 * @stat: NODE_STAT_HOT_THRESHOLD_MS
 * @value: its value
 *
 * Any context, between pghot_nodestat_init() and pghot_nodestat_exit().
 */
static inline void pghot_nodestat_set(int nid, enum pghot_node_stat stat, unsigned long value)
{
	atomic_long_set(&pghot_node_stats[nid].nr[stat], value);
}

/**
 * pghot_nodestat_get() - read a counter of a node
 * @nid: the node
 * @stat: the counter
 *
 * Any context, between pghot_nodestat_init() and pghot_nodestat_exit().
 */
static inline unsigned long pghot_nodestat_get(int nid, enum pghot_node_stat stat)
{
	return atomic_long_read(&pghot_node_stats[nid].nr[stat]);
}

#endif /* PGHOT_CORE_NODESTAT_H */
