// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "inject.h"
#include "stats.h"

DEFINE_PER_CPU(unsigned long [PGHOT_NR_STATS], pghot_stats);
struct node_stats *pghot_node_stats;

/* How a file comes by its value, and in which directories it is. */
enum counter_kind {
	PER_CPU,	/* stats/ */
	PER_NODE,	/* stats/ and node<N>/ */
	PER_NODE_BYTES,	/* the same, from a number of pages */
	PER_NODE_STATE,	/* node<N>/: no sum makes sense */
};

struct counter {
	struct kobj_attribute attr;
	enum counter_kind kind;
	int stat;
};

static ssize_t counter_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf);

#define COUNTER(file, of, index) {				\
	.attr = __ATTR(file, 0444, counter_show, NULL),		\
	.kind = (of),						\
	.stat = (index),					\
}

static struct counter counters[] = {
	COUNTER(recorded_hintfaults, PER_CPU, STAT_RECORDED_HINTFAULTS),
	COUNTER(recorded_hwhints, PER_CPU, STAT_RECORDED_HWHINTS),
	COUNTER(recorded_pgtscans, PER_CPU, STAT_RECORDED_PGTSCANS),
	COUNTER(recorded_pagecache, PER_CPU, STAT_RECORDED_PAGECACHE),
	COUNTER(recorded_mglru, PER_CPU, STAT_RECORDED_MGLRU),
	COUNTER(recorded_perf, PER_CPU, STAT_RECORDED_PERF),
	COUNTER(recorded_mprof, PER_CPU, STAT_RECORDED_MPROF),
	COUNTER(recorded_chmu, PER_CPU, STAT_RECORDED_CHMU),
	COUNTER(recorded_vhmu, PER_CPU, STAT_RECORDED_VHMU),
	COUNTER(recorded_accesses, PER_CPU, STAT_RECORDED_ACCESSES),
	COUNTER(made_ready, PER_CPU, STAT_MADE_READY),
	COUNTER(demote_second_chance, PER_CPU, STAT_DEMOTE_SECOND_CHANCE),
	COUNTER(demote_to_swap, PER_CPU, STAT_DEMOTE_TO_SWAP),
	COUNTER(accessed_mm_scans, PER_CPU, STAT_ACCESSED_MM_SCANS),
	COUNTER(accessed_vma_scans, PER_CPU, STAT_ACCESSED_VMA_SCANS),
	COUNTER(accessed_pages, PER_CPU, STAT_ACCESSED_PAGES),
	COUNTER(accessed_skipped, PER_CPU, STAT_ACCESSED_SKIPPED),
	COUNTER(accessed_slowtier, PER_CPU, STAT_ACCESSED_SLOWTIER),
	COUNTER(accessed_idlepage, PER_CPU, STAT_ACCESSED_IDLEPAGE),
	COUNTER(accessed_toptier, PER_CPU, STAT_ACCESSED_TOPTIER),
	COUNTER(accessed_contended, PER_CPU, STAT_ACCESSED_CONTENDED),
	COUNTER(accessed_cpu_ns, PER_CPU, STAT_ACCESSED_CPU_NS),
	COUNTER(mglru_rounds, PER_CPU, STAT_MGLRU_ROUNDS),
	COUNTER(mglru_cpu_ns, PER_CPU, STAT_MGLRU_CPU_NS),
	COUNTER(perf_samples, PER_CPU, STAT_PERF_SAMPLES),
	COUNTER(perf_kernel, PER_CPU, STAT_PERF_KERNEL),
	COUNTER(perf_cached, PER_CPU, STAT_PERF_CACHED),
	COUNTER(perf_unmapped, PER_CPU, STAT_PERF_UNMAPPED),
	COUNTER(perf_cpu_ns, PER_CPU, STAT_PERF_CPU_NS),
	COUNTER(perf_enabled_ns, PER_CPU, STAT_PERF_ENABLED_NS),
	COUNTER(perf_running_ns, PER_CPU, STAT_PERF_RUNNING_NS),
	COUNTER(samples_lost, PER_CPU, STAT_SAMPLES_LOST),
	COUNTER(mprof_samples, PER_CPU, STAT_MPROF_SAMPLES),
	COUNTER(mprof_filtered, PER_CPU, STAT_MPROF_FILTERED),
	COUNTER(mprof_spurious, PER_CPU, STAT_MPROF_SPURIOUS),
	COUNTER(hmu_entries, PER_CPU, STAT_HMU_ENTRIES),
	COUNTER(hmu_unmapped, PER_CPU, STAT_HMU_UNMAPPED),
	COUNTER(hmu_overflows, PER_CPU, STAT_HMU_OVERFLOWS),
	COUNTER(hmu_errors, PER_CPU, STAT_HMU_ERRORS),
	COUNTER(hmu_cpu_ns, PER_CPU, STAT_HMU_CPU_NS),
	COUNTER(promoted, PER_NODE, NODE_STAT_PROMOTED),
	COUNTER(promoted_bytes, PER_NODE_BYTES, NODE_STAT_PROMOTED),
	COUNTER(refused_full, PER_NODE, NODE_STAT_REFUSED_FULL),
	COUNTER(refused_dirty, PER_NODE, NODE_STAT_REFUSED_DIRTY),
	COUNTER(refused_pinned, PER_NODE, NODE_STAT_REFUSED_PINNED),
	COUNTER(refused_cold, PER_NODE, NODE_STAT_REFUSED_COLD),
	COUNTER(refused_rate, PER_NODE, NODE_STAT_REFUSED_RATE),
	COUNTER(refused_policy, PER_NODE, NODE_STAT_REFUSED_POLICY),
	COUNTER(refused_share, PER_NODE, NODE_STAT_REFUSED_SHARE),
	COUNTER(refused_cgroup, PER_NODE, NODE_STAT_REFUSED_CGROUP),
	COUNTER(failed_isolate, PER_NODE, NODE_STAT_FAILED_ISOLATE),
	COUNTER(failed_migrate, PER_NODE, NODE_STAT_FAILED_MIGRATE),
	COUNTER(expired, PER_NODE, NODE_STAT_EXPIRED),
	COUNTER(passes, PER_NODE, NODE_STAT_PASSES),
	COUNTER(batches, PER_NODE, NODE_STAT_BATCHES),
	COUNTER(kmigrated_cpu_ns, PER_NODE, NODE_STAT_KMIGRATED_CPU_NS),
	COUNTER(received, PER_NODE, NODE_STAT_RECEIVED),
	COUNTER(candidates, PER_NODE, NODE_STAT_CANDIDATES),
	COUNTER(hot_threshold_ms, PER_NODE_STATE, NODE_STAT_HOT_THRESHOLD_MS),
};

/* All counters, and one more to give bytes; then NULL. */
static_assert(ARRAY_SIZE(counters) == PGHOT_NR_STATS + PGHOT_NR_NODE_STATS + 1);
static struct attribute *files[ARRAY_SIZE(counters) + 1];

static DEFINE_MUTEX(dirs_lock);	/* of the directories */
static struct kobject *home;	/* where they are, NULL while they are not shown */
static struct kobject *sums;

static unsigned long node_value(const struct counter *counter, int nid)
{
	return atomic_long_read(&pghot_node_stats[nid].nr[counter->stat]);
}

/* Of one node, or of all for NUMA_NO_NODE. */
static unsigned long value(const struct counter *counter, int nid)
{
	unsigned long sum = 0;
	int i;

	if (counter->kind == PER_CPU) {
		for_each_possible_cpu(i)
			sum += READ_ONCE(per_cpu(pghot_stats, i)[counter->stat]);
	} else if (nid != NUMA_NO_NODE) {
		sum = node_value(counter, nid);
	} else {
		for_each_node(i)
			sum += node_value(counter, i);
	}
	return counter->kind == PER_NODE_BYTES ? sum << PAGE_SHIFT : sum;
}

/* The node that a directory is about, by its name; NUMA_NO_NODE for the sums. */
static int dir_node(const struct kobject *kobj)
{
	int nid;

	return sscanf(kobject_name(kobj), "node%d", &nid) == 1 ? nid : NUMA_NO_NODE;
}

static ssize_t counter_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct counter *counter = container_of(attr, struct counter, attr);

	return sysfs_emit(buf, "%lu\n", value(counter, dir_node(kobj)));
}

static umode_t counter_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	bool of_node = dir_node(kobj) != NUMA_NO_NODE;

	return counters[index].kind == (of_node ? PER_CPU : PER_NODE_STATE) ? 0 : attr->mode;
}

static const struct attribute_group group = {
	.attrs = files,
	.is_visible = counter_visible,
};

/**
 * stats_init() - make the counters
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int stats_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		files[i] = &counters[i].attr.attr;
	pghot_node_stats = inject_alloc(NULL, kvcalloc(nr_node_ids, sizeof(*pghot_node_stats),
						       GFP_KERNEL));
	return pghot_node_stats ? 0 : -ENOMEM;
}

/**
 * stats_exit() - free the counters, which nobody counts with any more
 *
 * Process context, sleeps.
 */
void stats_exit(void)
{
	kvfree(pghot_node_stats);
}

static void dir_remove(struct kobject *dir)
{
	/* Deleted first: the last reference may be somebody else's, and its end come later. */
	kobject_del(dir);
	kobject_put(dir);
}

static struct kobject *dir_make(const char *name)
{
	struct kobject *dir = inject_alloc(NULL, kobject_create_and_add(name, home));

	if (dir && inject_alloc(-ENOMEM, sysfs_create_group(dir, &group))) {
		dir_remove(dir);
		dir = NULL;
	}
	return dir;
}

static int node_dir_make(int nid)
{
	struct node_stats *node = &pghot_node_stats[nid];
	char name[sizeof("node") + 10];

	if (node->dir)
		return 0;
	snprintf(name, sizeof(name), "node%d", nid);
	node->dir = dir_make(name);
	return node->dir ? 0 : -ENOMEM;
}

static void dirs_remove(void)
{
	int nid;

	for_each_node(nid) {
		dir_remove(pghot_node_stats[nid].dir);
		pghot_node_stats[nid].dir = NULL;
	}
	dir_remove(sums);
	sums = NULL;
	home = NULL;
}

/**
 * stats_show() - make stats/ and, for every node with memory, node<N>/
 * @parent: where
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int stats_show(struct kobject *parent)
{
	int nid, ret;

	mutex_lock(&dirs_lock);
	home = parent;
	sums = dir_make("stats");
	ret = sums ? 0 : -ENOMEM;
	for_each_node_state(nid, N_MEMORY)
		ret = ret ?: node_dir_make(nid);
	if (ret)
		dirs_remove();
	mutex_unlock(&dirs_lock);
	return ret;
}

/**
 * stats_hide() - remove stats/ and node<N>/
 *
 * Process context, sleeps until nobody is inside one of the files.
 */
void stats_hide(void)
{
	mutex_lock(&dirs_lock);
	dirs_remove();
	mutex_unlock(&dirs_lock);
}

/**
 * stats_node_show() - make node<N>/ for a node that has got memory
 * @nid: the node
 *
 * Process context, sleeps. Any number of times, at any time between stats_init() and
 * stats_exit(): does nothing if it is there, or while no counters are shown.
 *
 * Return: 0 or -ENOMEM.
 */
int stats_node_show(int nid)
{
	int ret;

	mutex_lock(&dirs_lock);
	ret = home ? node_dir_make(nid) : 0;
	mutex_unlock(&dirs_lock);
	return ret;
}

/**
 * stats_print() - all sums, in the manner of /proc/vmstat
 * @seq: where to
 *
 * Process context.
 */
void stats_print(struct seq_file *seq)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (counters[i].kind != PER_NODE_STATE)
			seq_printf(seq, "pghot_%s %lu\n", counters[i].attr.attr.name,
				   value(&counters[i], NUMA_NO_NODE));
	}
}
