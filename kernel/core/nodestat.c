// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Storage and names of the counters of nodes
 */
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "core/nodestat.h"
#include "testing/inject.h"

struct node_stats *pghot_node_stats;

static const char * const names[PGHOT_NR_NODE_STATS] = {
	[NODE_STAT_PROMOTED] = "promoted",
	[NODE_STAT_REFUSED_FULL] = "refused_full",
	[NODE_STAT_REFUSED_DIRTY] = "refused_dirty",
	[NODE_STAT_REFUSED_PINNED] = "refused_pinned",
	[NODE_STAT_REFUSED_COLD] = "refused_cold",
	[NODE_STAT_REFUSED_RATE] = "refused_rate",
	[NODE_STAT_REFUSED_POLICY] = "refused_policy",
	[NODE_STAT_REFUSED_SHARE] = "refused_share",
	[NODE_STAT_REFUSED_CGROUP] = "refused_cgroup",
	[NODE_STAT_REFUSED_BOUNCE] = "refused_bounce",
	[NODE_STAT_FAILED_ISOLATE] = "failed_isolate",
	[NODE_STAT_FAILED_MIGRATE] = "failed_migrate",
	[NODE_STAT_EXPIRED] = "expired",
	[NODE_STAT_PASSES] = "passes",
	[NODE_STAT_BATCHES] = "batches",
	[NODE_STAT_KMIGRATED_CPU_NS] = "kmigrated_cpu_ns",
	[NODE_STAT_PASSES_CPU_NS] = "passes_cpu_ns",
	[NODE_STAT_DEMOTED] = "demoted",
	[NODE_STAT_RECEIVED] = "received",
	[NODE_STAT_ROOM_TAKEN] = "room_taken",
	[NODE_STAT_CANDIDATES] = "candidates",
	[NODE_STAT_HOT_THRESHOLD_MS] = "hot_threshold_ms",
};

/**
 * pghot_nodestat_init() - make the counters
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_nodestat_init(void)
{
	pghot_node_stats = inject_alloc(NULL, kvcalloc(nr_node_ids, sizeof(*pghot_node_stats),
						       GFP_KERNEL));
	return pghot_node_stats ? 0 : -ENOMEM;
}

/**
 * pghot_nodestat_exit() - free the counters, which nobody counts with any more
 *
 * Process context, sleeps.
 */
void pghot_nodestat_exit(void)
{
	kvfree(pghot_node_stats);
}

/**
 * pghot_nodestat_name() - name of a counter, as of its files
 * @stat: the counter
 *
 * Any context.
 */
const char *pghot_nodestat_name(enum pghot_node_stat stat)
{
	return names[stat];
}

/**
 * pghot_nodestat_sum() - a counter's sum over all nodes
 * @stat: the counter; no sum of NODE_STAT_HOT_THRESHOLD_MS makes sense
 *
 * Any context, between pghot_nodestat_init() and pghot_nodestat_exit().
 */
unsigned long pghot_nodestat_sum(enum pghot_node_stat stat)
{
	unsigned long sum = 0;
	int nid;

	for_each_node(nid)
		sum += pghot_nodestat_get(nid, stat);
	return sum;
}
