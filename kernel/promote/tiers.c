// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Slow nodes as memory comes and goes
 *
 * Nodes are slow because the administrator has named them, or because the kernel's memory tiers say
 * so. For each of them, or for each of its parts, records are made and a kmigrated runs. Both
 * follow memory hotplug through a notifier.
 */
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/hotmap.h"
#include "core/slow.h"
#include "core/textfile.h"
#include "promote/kmigrated.h"
#include "promote/target.h"
#include "promote/tiers.h"
#include "testing/inject.h"
#include "wrapper/nodes.h"
#include "wrapper/placement.h"

/**
 * struct slow_part - what runs for a part of a slow node
 * @node: its records
 * @kmigrated: its thread
 */
struct slow_part {
	struct hot_node *node;
	struct kmigrated *kmigrated;
};

/* By node id: its parts, pghot_hot_parts of them, or NULL if it is not a slow node. */
static struct slow_part *slow[MAX_NUMNODES];

/* Serialises all below. Taken inside the kernel's hotplug locks. */
static DEFINE_MUTEX(tiers_lock);

static char *slow_nodes;
module_param(slow_nodes, charp, 0);
MODULE_PARM_DESC(slow_nodes, "Nodes to promote from, as 2-3. (what the kernel's memory tiers say)");

static bool slow_nodes_force;
module_param(slow_nodes_force, bool, 0);
MODULE_PARM_DESC(slow_nodes_force, "Take slow_nodes= even if these nodes look faster than others. (0)");

/* The load has succeeded, so that the log may tell what has begun. */
static bool announced;

/* What the parameter says; empty if the kernel's memory tiers tell which nodes are slow. */
static nodemask_t named_slow;

static ssize_t slow_nodes_show(char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", nodemask_pr_args(&pghot_slow_nodes));
}

const struct textfile pghot_slow_nodes_file = {
	.name = "slow_nodes",
	.mode = 0444,
	.show = slow_nodes_show,
};

/* How far a node is from the CPUs that are nearest to it. */
static int distance_from_cpus(int nid)
{
	int cpu_node, least = INT_MAX;

	for_each_node_state(cpu_node, N_CPU)
		least = min(least, node_distance(cpu_node, nid));
	return least;
}

/* Would promotion from @nid to @fast make things worse? Both have memory. */
static const char *why_inverted(int nid, int fast)
{
	if (pghot_placement_is_toptier(nid) && !pghot_placement_is_toptier(fast))
		return "is in a faster tier than";
	if (distance_from_cpus(nid) < distance_from_cpus(fast))
		return "is nearer to CPUs than";
	return NULL;
}

/* Returns 0, or -EINVAL, with the reason in the log, if a named node looks like a fast one. */
static int named_check(void)
{
	nodemask_t fast;
	int nid, other;

	nodes_andnot(fast, node_states[N_MEMORY], named_slow);
	for_each_node_mask(nid, named_slow) {
		if (node_state(nid, N_CPU)) {
			pr_err("slow_nodes=%s: node %d has CPUs; slow_nodes_force=1 takes it all the same\n",
			       slow_nodes, nid);
			return -EINVAL;
		}
		for_each_node_mask(other, fast) {
			const char *why = node_state(nid, N_MEMORY) ? why_inverted(nid, other) :
								      NULL;

			if (!why)
				continue;
			pr_err("slow_nodes=%s: node %d %s node %d, which would be fast; slow_nodes_force=1 takes it all the same\n",
			       slow_nodes, nid, why, other);
			return -EINVAL;
		}
	}
	return 0;
}

/**
 * pghot_tiers_load() - take over the parameters
 *
 * Process context, while the module loads. Nodes may be named that get their memory later, but
 * some node with memory has to be left as a fast one. Nodes that look like fast ones are refused,
 * unless they are forced: pages would move away from those who use them.
 *
 * Return: 0, or -EINVAL with the reason in the log.
 */
int pghot_tiers_load(void)
{
	int ret = slow_nodes ? nodelist_parse(slow_nodes, named_slow) : 0;

	if (!ret && (!nodes_subset(named_slow, node_possible_map) ||
		     nodes_subset(node_states[N_MEMORY], named_slow)))
		ret = -EINVAL;
	if (ret)
		pr_err("slow_nodes=%s: must be a list of nodes (%*pbl), but not of all with memory (%*pbl)\n",
		       slow_nodes, nodemask_pr_args(&node_possible_map),
		       nodemask_pr_args(&node_states[N_MEMORY]));
	else if (!slow_nodes_force)
		ret = named_check();
	return ret;
}

/* The administrator's word, or else the kernel's memory tiers. */
static bool should_be_slow(int nid)
{
	if (!node_state(nid, N_MEMORY))
		return false;
	if (!nodes_empty(named_slow))
		return node_isset(nid, named_slow);
	return !pghot_placement_is_toptier(nid);
}

static int part_start(struct slow_part *part, int nid, unsigned int nr, int home)
{
	int ret;

	part->node = pghot_hotmap_add_node(nid, nr, home);
	if (!part->node)
		return -ENOMEM;
	part->kmigrated = pghot_kmigrated_start(part->node);
	if (IS_ERR(part->kmigrated)) {
		ret = PTR_ERR(part->kmigrated);
		goto no_thread;
	}
	ret = pghot_hotmap_add(part->node, node_start_pfn(nid), node_end_pfn(nid), home);
	if (ret)
		goto no_records;
	return 0;

no_records:
	pghot_kmigrated_stop(part->kmigrated);
no_thread:
	pghot_hotmap_remove_node(part->node);
	return ret;
}

/* Those that were started, the last one first. */
static void parts_stop(struct slow_part *parts, unsigned int nr)
{
	while (nr--) {
		pghot_kmigrated_stop(parts[nr].kmigrated);
		pghot_hotmap_remove_node(parts[nr].node);
	}
	kfree(parts);
}

/* Says where pages of a slow node go. */
static void announce(int nid)
{
	nodemask_t fast;

	nodes_andnot(fast, node_states[N_MEMORY], pghot_slow_nodes);
	pr_info("promoting from node %d to fast nodes (%*pbl)\n", nid, nodemask_pr_args(&fast));
}

static void node_stop(int nid)
{
	node_clear(nid, pghot_slow_nodes);
	parts_stop(slow[nid], pghot_hot_parts);
	slow[nid] = NULL;
	if (announced)
		pr_info("no longer promoting from node %d\n", nid);
}

static int node_start(int nid)
{
	/* Records are small and are used often, so they are worth fast memory. */
	int home = pghot_target_nearest(nid), ret;
	struct slow_part *parts;
	unsigned int nr;

	parts = inject_alloc(NULL, kcalloc(pghot_hot_parts, sizeof(*parts), GFP_KERNEL));
	if (!parts)
		return -ENOMEM;
	for (nr = 0; nr < pghot_hot_parts; nr++) {
		ret = part_start(&parts[nr], nid, nr, home);
		if (ret) {
			parts_stop(parts, nr);
			return ret;
		}
	}
	slow[nid] = parts;
	node_set(nid, pghot_slow_nodes);
	if (announced)
		announce(nid);
	return 0;
}

/* For memory of a slow node, up to, but not including @end_pfn. */
static int records_make(int nid, unsigned long start_pfn, unsigned long end_pfn)
{
	int home = pghot_target_nearest(nid), ret = 0;
	unsigned int nr;

	for (nr = 0; nr < pghot_hot_parts && !ret; nr++)
		ret = pghot_hotmap_add(slow[nid][nr].node, start_pfn, end_pfn, home);
	return ret;
}

static void records_forget(int nid, unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned int nr;

	for (nr = 0; nr < pghot_hot_parts; nr++)
		pghot_hotmap_remove(slow[nid][nr].node, start_pfn, end_pfn);
}

/*
 * A section may hold memory of two nodes, and belongs to one of them. When that node goes, the
 * section goes with it. This makes records for the other node's memory in such sections.
 */
static int records_of_others(void)
{
	int nid, ret = 0;

	for_each_node_mask(nid, pghot_slow_nodes)
		ret = ret ?: records_make(nid, node_start_pfn(nid), node_end_pfn(nid));
	return ret;
}

/* Bring what runs in line with the nodes there are. Returns the first error. */
static int tiers_update(void)
{
	int nid, err, ret = 0;

	for (nid = 0; nid < nr_node_ids; nid++) {
		bool want = should_be_slow(nid), have = slow[nid];

		if (have && !want) {
			node_stop(nid);
			ret = ret ?: records_of_others();
		}
		if (want && !have) {
			err = node_start(nid);
			if (err)
				pr_err("cannot promote from node %d (%d)\n", nid, err);
			ret = ret ?: err;
		}
	}
	return ret;
}

static void memory_online(const struct memory_notify *arg)
{
	int nid = pfn_to_nid(arg->start_pfn);

	/* A first block of a node can change the tiers of others. */
	if (pghot_nodes_change_with(arg))
		tiers_update();
	if (slow[nid] && records_make(nid, arg->start_pfn, arg->start_pfn + arg->nr_pages))
		pr_warn("no memory for the records of %lu pages of node %d\n", arg->nr_pages,
			nid);
}

static void memory_offline(const struct memory_notify *arg)
{
	int nid = pfn_to_nid(arg->start_pfn);

	if (slow[nid])
		records_forget(nid, arg->start_pfn, arg->start_pfn + arg->nr_pages);
	if (pghot_nodes_change_with(arg))
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

/*
 * Called before the notifier above. The kernel's own memory tiers are settled first here, too. When
 * a node has lost its last memory, its records go with it.
 */
static int nodes_changed(struct notifier_block *block, unsigned long action, void *arg)
{
	if (!pghot_nodes_have_changed(action))
		return NOTIFY_OK;
	mutex_lock(&tiers_lock);
	tiers_update();
	mutex_unlock(&tiers_lock);
	return NOTIFY_OK;
}

static struct notifier_block node_notifier = {
	.notifier_call = nodes_changed,
	.priority = DEFAULT_CALLBACK_PRI,
};

/**
 * pghot_tiers_start() - start what runs for slow nodes, and follow their comings and goings
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno, with nothing left running.
 */
int pghot_tiers_start(void)
{
	int ret = pghot_nodes_register(&node_notifier);

	if (ret)
		return ret;
	ret = register_memory_notifier(&memory_notifier);
	if (ret) {
		pghot_nodes_unregister(&node_notifier);
		return ret;
	}
	mutex_lock(&tiers_lock);
	ret = tiers_update();
	mutex_unlock(&tiers_lock);
	if (ret)
		pghot_tiers_stop();
	return ret;
}

/**
 * pghot_tiers_announce() - say in the log which nodes are slow, and each change from now on
 *
 * Process context, sleeps. The module's load has succeeded.
 */
void pghot_tiers_announce(void)
{
	int nid;

	mutex_lock(&tiers_lock);
	announced = true;
	for_each_node_mask(nid, pghot_slow_nodes)
		announce(nid);
	if (nodes_empty(pghot_slow_nodes))
		pr_info("all memory is in one tier (nodes %*pbl), nothing to do until that changes\n",
			nodemask_pr_args(&node_states[N_MEMORY]));
	mutex_unlock(&tiers_lock);
}

/**
 * pghot_tiers_stop() - end what runs for slow nodes
 *
 * Process context, sleeps. The sources are off.
 */
void pghot_tiers_stop(void)
{
	int nid;

	unregister_memory_notifier(&memory_notifier);
	pghot_nodes_unregister(&node_notifier);
	for_each_node_mask(nid, pghot_slow_nodes)
		node_stop(nid);
}
