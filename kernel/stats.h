/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters: per CPU where accesses are recorded, per node for what becomes of them. Read
 * as files of /sys/kernel/mm/pghot/stats/ (sums) and node<N>/, and all together in
 * /sys/kernel/debug/pghot/vmstat.
 */
#ifndef PGHOT_STATS_H
#define PGHOT_STATS_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct kobject;
struct seq_file;

/**
 * enum pghot_stat - what is counted for the whole machine; pages are base pages
 * @STAT_RECORDED_HINTFAULTS: accesses reported by hint faults. The sources' counters
 *	come first, in the order of enum pghot_src
 * @STAT_RECORDED_HWHINTS: accesses reported by hardware drivers and other modules
 * @STAT_RECORDED_PGTSCANS: accesses reported by the accessed-bit scanner
 * @STAT_RECORDED_PAGECACHE: accesses reported by reads of the page cache
 * @STAT_RECORDED_MGLRU: folios that ageing of the multi-gen LRU found accessed
 * @STAT_RECORDED_PERF: accesses sampled by performance counters
 * @STAT_RECORDED_MPROF: accesses sampled by AMD's memory profiler
 * @STAT_RECORDED_CHMU: folios reported by CXL hotness monitoring units
 * @STAT_RECORDED_VHMU: folios reported by the lab's virtual one
 * @STAT_RECORDED_ACCESSES: accesses that reached a record
 * @STAT_MADE_READY: records that became ready
 * @STAT_DEMOTE_SECOND_CHANCE: pages whose first demotion target had no memory for them
 * @STAT_DEMOTE_TO_SWAP: pages swapped out of nodes that demote
 * @STAT_ACCESSED_MM_SCANS: scans of address spaces by the accessed-bit scanner
 * @STAT_ACCESSED_VMA_SCANS: mappings that it looked at, in whole or in part
 * @STAT_ACCESSED_PAGES: mapped pages that it looked at
 * @STAT_ACCESSED_SKIPPED: tables of PTEs that it could skip
 * @STAT_ACCESSED_SLOWTIER: accessed pages of slow nodes that it found
 * @STAT_ACCESSED_IDLEPAGE: of these, pages met for the first time, which are not reported
 * @STAT_ACCESSED_TOPTIER: accessed pages of fast nodes that it found
 * @STAT_ACCESSED_CONTENDED: scans that ended as somebody else held the mmap_lock
 * @STAT_ACCESSED_CPU_NS: CPU time of its thread, ns
 * @STAT_MGLRU_ROUNDS: rounds of ageing, of all slow nodes
 * @STAT_MGLRU_CPU_NS: CPU time of these, ns
 * @STAT_PERF_SAMPLES: samples that performance counters took
 * @STAT_PERF_KERNEL: of these, accesses by the kernel, which do not count
 * @STAT_PERF_CACHED: of these, accesses that a cache or a device served
 * @STAT_PERF_UNMAPPED: of these, without an address, or whose page had gone
 * @STAT_PERF_CPU_NS: time that samples took, workers included, and around NMIs by estimate, ns
 * @STAT_PERF_ENABLED_NS: time for which counters were to run, ns
 * @STAT_PERF_RUNNING_NS: time for which they ran, ns
 * @STAT_SAMPLES_LOST: samples that came while their CPU's ring was full, or their source was
 *	being switched on or off
 * @STAT_MPROF_SAMPLES: samples that AMD's memory profiler took
 * @STAT_MPROF_FILTERED: of these, not worth recording
 * @STAT_MPROF_SPURIOUS: NMIs that found no sample
 * @STAT_HMU_ENTRIES: entries read from the lists of hotness monitoring units
 * @STAT_HMU_UNMAPPED: of these, for device memory that the map does not have
 * @STAT_HMU_OVERFLOWS: polls that found a list to have been full
 * @STAT_HMU_ERRORS: polls that found no list, but nonsense
 * @STAT_HMU_CPU_NS: CPU time of polls, ns
 * @PGHOT_NR_STATS: number of counters
 */
enum pghot_stat {
	STAT_RECORDED_HINTFAULTS,
	STAT_RECORDED_HWHINTS,
	STAT_RECORDED_PGTSCANS,
	STAT_RECORDED_PAGECACHE,
	STAT_RECORDED_MGLRU,
	STAT_RECORDED_PERF,
	STAT_RECORDED_MPROF,
	STAT_RECORDED_CHMU,
	STAT_RECORDED_VHMU,
	STAT_RECORDED_ACCESSES,
	STAT_MADE_READY,
	STAT_DEMOTE_SECOND_CHANCE,
	STAT_DEMOTE_TO_SWAP,
	STAT_ACCESSED_MM_SCANS,
	STAT_ACCESSED_VMA_SCANS,
	STAT_ACCESSED_PAGES,
	STAT_ACCESSED_SKIPPED,
	STAT_ACCESSED_SLOWTIER,
	STAT_ACCESSED_IDLEPAGE,
	STAT_ACCESSED_TOPTIER,
	STAT_ACCESSED_CONTENDED,
	STAT_ACCESSED_CPU_NS,
	STAT_MGLRU_ROUNDS,
	STAT_MGLRU_CPU_NS,
	STAT_PERF_SAMPLES,
	STAT_PERF_KERNEL,
	STAT_PERF_CACHED,
	STAT_PERF_UNMAPPED,
	STAT_PERF_CPU_NS,
	STAT_PERF_ENABLED_NS,
	STAT_PERF_RUNNING_NS,
	STAT_SAMPLES_LOST,
	STAT_MPROF_SAMPLES,
	STAT_MPROF_FILTERED,
	STAT_MPROF_SPURIOUS,
	STAT_HMU_ENTRIES,
	STAT_HMU_UNMAPPED,
	STAT_HMU_OVERFLOWS,
	STAT_HMU_ERRORS,
	STAT_HMU_CPU_NS,
	PGHOT_NR_STATS,
};

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
 * @NODE_STAT_EXPIRED: ready records dropped, a folio each, as they were not promoted for as
 *	long as records remember
 * @NODE_STAT_PASSES: looks of kmigrated at what is ready
 * @NODE_STAT_BATCHES: batches that it promoted
 * @NODE_STAT_KMIGRATED_CPU_NS: CPU time of promotion, ns
 * @NODE_STAT_RECEIVED: pages promoted to this node
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
	NODE_STAT_FAILED_ISOLATE,
	NODE_STAT_FAILED_MIGRATE,
	NODE_STAT_EXPIRED,
	NODE_STAT_PASSES,
	NODE_STAT_BATCHES,
	NODE_STAT_KMIGRATED_CPU_NS,
	NODE_STAT_RECEIVED,
	NODE_STAT_CANDIDATES,
	NODE_STAT_HOT_THRESHOLD_MS,
	PGHOT_NR_NODE_STATS,
};

/**
 * struct node_stats - the counters of one node
 * @nr: by enum pghot_node_stat
 * @dir: its directory in sysfs, or NULL
 */
struct node_stats {
	atomic_long_t nr[PGHOT_NR_NODE_STATS];
	struct kobject *dir;
};

DECLARE_PER_CPU(unsigned long [PGHOT_NR_STATS], pghot_stats);
extern struct node_stats *pghot_node_stats;

int stats_init(void);
void stats_exit(void);

int stats_show(struct kobject *parent);
void stats_hide(void);
int stats_node_show(int nid);
void stats_print(struct seq_file *seq);

/**
 * stats_add() - count
 * @stat: the counter
 * @nr: how much to add
 *
 * Any context.
 */
static inline void stats_add(enum pghot_stat stat, unsigned long nr)
{
	this_cpu_add(pghot_stats[stat], nr);
}

/**
 * stats_inc() - count one
 * @stat: the counter
 *
 * Any context. One instruction.
 */
static inline void stats_inc(enum pghot_stat stat)
{
	this_cpu_inc(pghot_stats[stat]);
}

/**
 * stats_node_add() - count for a node
 * @nid: the node
 * @stat: the counter
 * @nr: how much to add
 *
 * Any context, between stats_init() and stats_exit().
 */
static inline void stats_node_add(int nid, enum pghot_node_stat stat, unsigned long nr)
{
	atomic_long_add(nr, &pghot_node_stats[nid].nr[stat]);
}

/**
 * stats_node_set() - say how something stands now
 * @nid: the node
 * @stat: NODE_STAT_HOT_THRESHOLD_MS
 * @value: its value
 *
 * Any context, between stats_init() and stats_exit().
 */
static inline void stats_node_set(int nid, enum pghot_node_stat stat, unsigned long value)
{
	atomic_long_set(&pghot_node_stats[nid].nr[stat], value);
}

#endif /* PGHOT_STATS_H */
