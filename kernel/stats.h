/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, counted per CPU, read as files of /sys/kernel/mm/pghot/stats/.
 */
#ifndef PGHOT_STATS_H
#define PGHOT_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct attribute_group;

/**
 * enum pghot_stat - the counters; pages are base pages, a huge page counts as 512
 * @STAT_RECORDED_HINTFAULTS: accesses reported by hint faults. The sources' counters
 *	come first, in the order of enum pghot_src
 * @STAT_RECORDED_ACCESSES: accesses that reached a record
 * @STAT_MADE_READY: records that became ready
 * @STAT_EXPIRED: ready records dropped, as the window passed before promotion
 * @STAT_REFUSED_FULL: ready pages kept back, as no fast node had room
 * @STAT_REFUSED_DIRTY: ready pages kept back, as dirty page cache
 * @STAT_REFUSED_ISOLATE: ready pages kept back, as pinned or off their LRU list
 * @STAT_PROMOTED: pages promoted
 * @STAT_MIGRATE_FAILED: pages isolated, but not promoted
 * @STAT_PASSES: looks of kmigrated at what is ready
 * @STAT_BATCHES: batches that it promoted
 * @PGHOT_NR_STATS: number of counters
 */
enum pghot_stat {
	STAT_RECORDED_HINTFAULTS,
	STAT_RECORDED_ACCESSES,
	STAT_MADE_READY,
	STAT_EXPIRED,
	STAT_REFUSED_FULL,
	STAT_REFUSED_DIRTY,
	STAT_REFUSED_ISOLATE,
	STAT_PROMOTED,
	STAT_MIGRATE_FAILED,
	STAT_PASSES,
	STAT_BATCHES,
	PGHOT_NR_STATS,
};

DECLARE_PER_CPU(unsigned long [PGHOT_NR_STATS], pghot_stats);

extern const struct attribute_group stats_group;

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
 * Any context.
 */
static inline void stats_inc(enum pghot_stat stat)
{
	this_cpu_inc(pghot_stats[stat]);
}

#endif /* PGHOT_STATS_H */
