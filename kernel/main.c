// SPDX-License-Identifier: GPL-2.0
/*
 * pghot: hot-page tracking and promotion for tiered memory.
 */
#include <linux/module.h>
#include <linux/nodemask.h>

#include "hotmap.h"
#include "kmigrated.h"
#include "promote.h"
#include "sources/sources.h"
#include "stats.h"
#include "tunables.h"
#include "wrapper/placement.h"
#include "wrapper/symbols.h"

static nodemask_t find_slow_nodes(void)
{
	nodemask_t slow = *tunables_slow_nodes();
	int nid;

	if (!nodes_empty(slow))
		return slow;

	for_each_node_state(nid, N_MEMORY) {
		if (!placement_is_toptier(nid))
			node_set(nid, slow);
	}
	return slow;
}

static int __init pghot_init(void)
{
	nodemask_t slow;
	int ret;

	ret = tunables_load();
	if (ret)
		return ret;
	ret = symbols_resolve();
	if (ret)
		return ret;

	slow = find_slow_nodes();
	if (nodes_empty(slow)) {
		pr_info("pghot: all memory is in one tier (nodes %*pbl), nothing to do\n",
			nodemask_pr_args(&node_states[N_MEMORY]));
		return 0;
	}

	ret = stats_init();
	if (ret)
		return ret;
	ret = hotmap_init(&slow);
	if (ret)
		goto no_map;
	ret = promote_init();
	if (ret)
		goto no_workers;
	ret = kmigrated_start();
	if (ret)
		goto no_threads;
	ret = sources_set(pghot_enabled_sources);
	if (ret)
		goto no_sources;
	ret = tunables_init();
	if (ret)
		goto no_tunables;

	pr_info("pghot: promoting from nodes %*pbl\n", nodemask_pr_args(&slow));
	return 0;

no_tunables:
	sources_set(0);
no_sources:
	kmigrated_stop();
no_threads:
	promote_exit();
no_workers:
	hotmap_exit();
no_map:
	stats_exit();
	return ret;
}

static void __exit pghot_exit(void)
{
	if (nodes_empty(pghot_slow_nodes))
		return;
	tunables_exit();
	sources_set(0);
	kmigrated_stop();
	promote_exit();
	hotmap_exit();
	stats_exit();
}

module_init(pghot_init);
module_exit(pghot_exit);

MODULE_DESCRIPTION("Hot-page tracking and promotion for tiered memory");
MODULE_LICENSE("GPL");
