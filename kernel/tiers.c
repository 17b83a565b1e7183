// SPDX-License-Identifier: GPL-2.0
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include "hotmap.h"
#include "kmigrated.h"
#include "stats.h"
#include "target.h"
#include "tiers.h"
#include "tunables.h"
#include "wrapper/placement.h"

nodemask_t pghot_slow_nodes;

/* What runs for a slow node. */
static struct {
	struct hot_node *node;
	struct kmigrated *kmigrated;
} slow[MAX_NUMNODES];

/* Serialises all below. Taken inside the kernel's hotplug locks. */
static DEFINE_MUTEX(tiers_lock);

/* The administrator's word, or else the kernel's memory tiers. */
static bool should_be_slow(int nid)
{
	if (!node_state(nid, N_MEMORY))
		return false;
	if (!nodes_empty(*tunables_slow_nodes()))
		return node_isset(nid, *tunables_slow_nodes());
	return !placement_is_toptier(nid);
}

static void node_stop(int nid)
{
	node_clear(nid, pghot_slow_nodes);
	kmigrated_stop(slow[nid].kmigrated);
	hotmap_remove_node(slow[nid].node);
	slow[nid].node = NULL;
	pr_info("pghot: no longer promoting from node %d\n", nid);
}

static int node_start(int nid)
{
	/* Records are used far more than they are large. */
	int home = target_nearest(nid), ret = -ENOMEM;
	struct hot_node *node = hotmap_add_node(nid, home);
	struct kmigrated *kmigrated;

	if (!node)
		return ret;
	kmigrated = kmigrated_start(node);
	if (IS_ERR(kmigrated)) {
		ret = PTR_ERR(kmigrated);
		goto no_thread;
	}
	ret = hotmap_add(node, node_start_pfn(nid), node_end_pfn(nid), home);
	if (ret)
		goto no_records;
	slow[nid].node = node;
	slow[nid].kmigrated = kmigrated;
	node_set(nid, pghot_slow_nodes);
	pr_info("pghot: promoting from node %d\n", nid);
	return 0;

no_records:
	kmigrated_stop(kmigrated);
no_thread:
	hotmap_remove_node(node);
	return ret;
}

/*
 * A section that holds memory of two nodes went with the node that it belonged to: make
 * records for the other's memory in it.
 */
static int records_of_others(void)
{
	int nid, ret = 0;

	for_each_node_mask(nid, pghot_slow_nodes)
		ret = ret ?: hotmap_add(slow[nid].node, node_start_pfn(nid), node_end_pfn(nid),
					target_nearest(nid));
	return ret;
}

/* Bring what runs in line with the nodes there are. Returns the first error. */
static int tiers_update(void)
{
	int nid, err, ret = 0;

	for (nid = 0; nid < nr_node_ids; nid++) {
		bool want = should_be_slow(nid), have = slow[nid].node;

		if (have && !want) {
			node_stop(nid);
			ret = ret ?: records_of_others();
		}
		if (want && !have) {
			err = node_start(nid);
			if (err)
				pr_err("pghot: cannot promote from node %d (%d)\n", nid, err);
			ret = ret ?: err;
		}
	}
	return ret;
}

static void memory_online(const struct memory_notify *arg)
{
	int nid = pfn_to_nid(arg->start_pfn);

	/* A first block of a node can change the tiers of others. */
	if (arg->status_change_nid >= 0) {
		stats_node_show(nid);
		tiers_update();
	}
	if (slow[nid].node && hotmap_add(slow[nid].node, arg->start_pfn,
					 arg->start_pfn + arg->nr_pages, target_nearest(nid)))
		pr_warn("pghot: no memory for the records of pages %#lx to %#lx\n",
			arg->start_pfn, arg->start_pfn + arg->nr_pages - 1);
}

static void memory_offline(const struct memory_notify *arg)
{
	int nid = pfn_to_nid(arg->start_pfn);

	if (slow[nid].node)
		hotmap_remove(slow[nid].node, arg->start_pfn, arg->start_pfn + arg->nr_pages);
	if (arg->status_change_nid >= 0)
		tiers_update();
}

/*
 * The struct pages of memory that goes offline stay readable until after this; those
 * of memory that comes online are before. The kernel's own memory tiers are settled
 * first, as their notifier has a higher priority.
 */
static int memory_changed(struct notifier_block *block, unsigned long action, void *arg)
{
	mutex_lock(&tiers_lock);
	if (action == MEM_ONLINE)
		memory_online(arg);
	else if (action == MEM_OFFLINE)
		memory_offline(arg);
	mutex_unlock(&tiers_lock);
	return NOTIFY_OK;
}

static struct notifier_block memory_notifier = {
	.notifier_call = memory_changed,
	.priority = DEFAULT_CALLBACK_PRI,
};

/**
 * tiers_start() - start what runs for slow nodes, and follow their comings and goings
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno, with nothing left running.
 */
int tiers_start(void)
{
	int ret = register_memory_notifier(&memory_notifier);

	if (ret)
		return ret;
	mutex_lock(&tiers_lock);
	ret = tiers_update();
	mutex_unlock(&tiers_lock);
	if (ret)
		tiers_stop();
	else if (nodes_empty(pghot_slow_nodes))
		pr_info("pghot: all memory is in one tier (nodes %*pbl), nothing to do until that changes\n",
			nodemask_pr_args(&node_states[N_MEMORY]));
	return ret;
}

/**
 * tiers_stop() - end what runs for slow nodes
 *
 * Process context, sleeps. The sources are off.
 */
void tiers_stop(void)
{
	int nid;

	unregister_memory_notifier(&memory_notifier);
	for_each_node_mask(nid, pghot_slow_nodes)
		node_stop(nid);
}
