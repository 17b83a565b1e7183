/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an administrator may set: one table. Its doors are /sys/kernel/mm/pghot/,
 * sysctl vm.pghot_*, /sys/kernel/debug/pghot/ and, at load, the module's parameters.
 */
#ifndef PGHOT_TUNABLES_H
#define PGHOT_TUNABLES_H

#include <linux/compiler.h>
#include <linux/nodemask.h>
#include <linux/types.h>

#include "record.h"

/* Read with READ_ONCE(): each may change at any moment. */
extern int pghot_enabled_sources;
extern int pghot_target_nid;
extern int pghot_freq_threshold;
extern int pghot_promote_freq_window_ms;
extern int pghot_promote_rate_limit_MBps;
extern int pghot_promote_threshold_window_ms;
extern int pghot_promote_cpu_percent;
extern int pghot_kmigrated_sleep_ms;
extern int pghot_kmigrated_batch_nr;
extern int pghot_scan_cpu_percent;
extern int pghot_perf_overhead_permille;
extern int pghot_perf_period;
extern int pghot_perf_period_min;
extern int pghot_mprof_period;
extern int pghot_hmu_threshold;

/* promote_freq_window_ms and freq_threshold, as the records of this mode count. */
extern struct rec_rule pghot_rule;

/**
 * enum tunable_id - places in the table
 * @TUNABLE_ENABLED_SOURCES: sources that run, bits of enum pghot_src
 * @TUNABLE_TARGET_NID: node to promote to; -1: the one that uses the page
 * @TUNABLE_FREQ_THRESHOLD: accesses within the window that make a page hot
 * @TUNABLE_FREQ_WINDOW: the window, ms
 * @TUNABLE_RATE_LIMIT: promotion to each node, MB/s
 * @TUNABLE_THRESHOLD_WINDOW: how often the hot threshold is tuned, ms
 * @TUNABLE_PROMOTE_CPU: what promotion may use of all CPUs, per cent
 * @TUNABLE_SLEEP: how long ready pages gather, ms
 * @TUNABLE_BATCH_NR: base pages in a batch
 * @TUNABLE_SCAN_CPU: what the accessed-bit scanner may use of one CPU, per cent
 * @TUNABLE_PERF_OVERHEAD: what sampling by performance counters may take of a CPU, per mille
 * @TUNABLE_PERF_PERIOD: events from sample to sample, at first
 * @TUNABLE_PERF_PERIOD_MIN: the same, at least
 * @TUNABLE_MPROF_PERIOD: ops of which AMD's memory profiler looks at one
 * @TUNABLE_HMU_THRESHOLD: accesses in an epoch that monitoring units report from; 0: as they
 *	come
 * @PGHOT_NR_TUNABLES: number of tunables
 */
enum tunable_id {
	TUNABLE_ENABLED_SOURCES,
	TUNABLE_TARGET_NID,
	TUNABLE_FREQ_THRESHOLD,
	TUNABLE_FREQ_WINDOW,
	TUNABLE_RATE_LIMIT,
	TUNABLE_THRESHOLD_WINDOW,
	TUNABLE_PROMOTE_CPU,
	TUNABLE_SLEEP,
	TUNABLE_BATCH_NR,
	TUNABLE_SCAN_CPU,
	TUNABLE_PERF_OVERHEAD,
	TUNABLE_PERF_PERIOD,
	TUNABLE_PERF_PERIOD_MIN,
	TUNABLE_MPROF_PERIOD,
	TUNABLE_HMU_THRESHOLD,
	PGHOT_NR_TUNABLES,
};

/* Bytes for the text of any value, and the end of what a door takes as one. */
#define TUNABLE_TEXT	64

/**
 * struct tunable - one number that can be set
 * @name: its name in sysfs and debugfs, and as a parameter
 * @sysctl: its name below vm, NULL if it has none
 * @debugfs: is it in debugfs?
 * @value: where it is kept
 * @min: lowest value
 * @max: highest value, in default and in precise mode
 * @initial: value if the administrator says nothing, in default and in precise mode
 * @text: what the administrator said at load, or NULL
 */
struct tunable {
	const char *name;
	const char *sysctl;
	bool debugfs;
	int *value;
	int min;
	int max[2];
	int initial[2];
	char *text;
};

extern struct tunable pghot_tunables[PGHOT_NR_TUNABLES];

/**
 * tunable_get() - the value of a tunable
 * @tunable: which
 *
 * Any context.
 */
static inline int tunable_get(const struct tunable *tunable)
{
	return READ_ONCE(*tunable->value);
}

int tunable_set(const struct tunable *tunable, const char *text, size_t len);

int tunables_load(void);
bool pghot_mode_is_precise(void);
const char *tunables_mode(void);
const nodemask_t *tunables_slow_nodes(void);

int tunables_init(void);
void tunables_exit(void);

#endif /* PGHOT_TUNABLES_H */
