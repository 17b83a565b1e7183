// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "pghot.h"
#include "record.h"
#include "sources/sources.h"
#include "surface/surface.h"
#include "tunables.h"

int pghot_enabled_sources;
int pghot_target_nid;
int pghot_freq_threshold;
int pghot_promote_freq_window_ms;
int pghot_promote_rate_limit_MBps;
int pghot_promote_threshold_window_ms;
int pghot_promote_cpu_percent;
int pghot_kmigrated_sleep_ms;
int pghot_kmigrated_batch_nr;
int pghot_scan_cpu_percent;
int pghot_perf_overhead_permille;
int pghot_perf_period;
int pghot_perf_period_min;
int pghot_mprof_period;
int pghot_hmu_threshold;

struct rec_rule pghot_rule __read_mostly;

/* One writer at a time, so that what follows from a value agrees with it. */
static DEFINE_MUTEX(tunables_lock);

static const char * const modes[] = { "default", "precise" };
static bool precise;

/* Those that cost nothing while nothing reports. */
#define SOURCES_AT_LOAD	(BIT(PGHOT_SRC_HINTFAULTS) | BIT(PGHOT_SRC_HWHINTS))

/* The same in both modes. */
#define BOTH(value)	{ value, value }

struct tunable pghot_tunables[PGHOT_NR_TUNABLES] = {
	[TUNABLE_ENABLED_SOURCES] = {
		.name = "enabled_sources",
		.sysctl = "pghot_enabled_sources",
		.debugfs = true,
		.value = &pghot_enabled_sources,
		.min = 0,
		.max = BOTH(BIT(PGHOT_NR_SRC) - 1),
		.initial = BOTH(SOURCES_AT_LOAD),
	},
	[TUNABLE_TARGET_NID] = {
		.name = "target_nid",
		.sysctl = "pghot_target_nid",
		.debugfs = true,
		.value = &pghot_target_nid,
		.min = NUMA_NO_NODE,
		.max = BOTH(MAX_NUMNODES - 1),
		.initial = BOTH(NUMA_NO_NODE),
	},
	[TUNABLE_FREQ_THRESHOLD] = {
		.name = "freq_threshold",
		.sysctl = "pghot_freq_threshold",
		.debugfs = true,
		.value = &pghot_freq_threshold,
		.min = 1,
		.max = { 3, 7 },
		.initial = BOTH(2),
	},
	[TUNABLE_FREQ_WINDOW] = {
		.name = "promote_freq_window_ms",
		.sysctl = "pghot_promote_freq_window_ms",
		.value = &pghot_promote_freq_window_ms,
		.min = 1000,
		.max = { 3968, 16383 },
		.initial = { 3000, 5000 },
	},
	[TUNABLE_RATE_LIMIT] = {
		.name = "promote_rate_limit_MBps",
		.sysctl = "pghot_promote_rate_limit_MBps",
		.value = &pghot_promote_rate_limit_MBps,
		.min = 1,
		.max = BOTH(1048576),
		.initial = BOTH(65536),
	},
	[TUNABLE_THRESHOLD_WINDOW] = {
		.name = "promote_threshold_window_ms",
		.sysctl = "pghot_promote_threshold_window_ms",
		.value = &pghot_promote_threshold_window_ms,
		.min = 1000,
		.max = BOTH(60000),
		.initial = BOTH(60000),
	},
	[TUNABLE_PROMOTE_CPU] = {
		.name = "promote_cpu_percent",
		.sysctl = "pghot_promote_cpu_percent",
		.value = &pghot_promote_cpu_percent,
		.min = 1,
		.max = BOTH(100),
		.initial = BOTH(50),
	},
	[TUNABLE_SLEEP] = {
		.name = "kmigrated_sleep_ms",
		.debugfs = true,
		.value = &pghot_kmigrated_sleep_ms,
		.min = 0,
		.max = BOTH(1000),
		.initial = BOTH(4),
	},
	[TUNABLE_BATCH_NR] = {
		.name = "kmigrated_batch_nr",
		.debugfs = true,
		.value = &pghot_kmigrated_batch_nr,
		.min = 64,
		.max = BOTH(1024),
		.initial = BOTH(512),
	},
	[TUNABLE_SCAN_CPU] = {
		.name = "scan_cpu_percent",
		.sysctl = "pghot_scan_cpu_percent",
		.value = &pghot_scan_cpu_percent,
		.min = 1,
		.max = BOTH(100),
		.initial = BOTH(50),
	},
	[TUNABLE_PERF_OVERHEAD] = {
		.name = "perf_overhead_permille",
		.sysctl = "pghot_perf_overhead_permille",
		.value = &pghot_perf_overhead_permille,
		.min = 1,
		.max = BOTH(1000),
		.initial = BOTH(10),
	},
	[TUNABLE_PERF_PERIOD] = {
		.name = "perf_period",
		.value = &pghot_perf_period,
		.min = 1,
		.max = BOTH(134217712),
		.initial = BOTH(10000),
	},
	[TUNABLE_PERF_PERIOD_MIN] = {
		.name = "perf_period_min",
		.value = &pghot_perf_period_min,
		.min = 1,
		.max = BOTH(134217712),
		.initial = BOTH(1000),
	},
	[TUNABLE_MPROF_PERIOD] = {
		.name = "mprof_period",
		.sysctl = "pghot_mprof_period",
		.value = &pghot_mprof_period,
		.min = 5000,
		.max = BOTH(134217727),
		.initial = BOTH(10000),
	},
	[TUNABLE_HMU_THRESHOLD] = {
		.name = "hmu_threshold",
		.sysctl = "pghot_hmu_threshold",
		.value = &pghot_hmu_threshold,
		.min = 0,
		.max = BOTH(1000000),
		.initial = BOTH(0),
	},
};

/* Only kept here: ranges depend on the mode, which may come last. */
#define TUNABLE_PARAM(name, id, description)					\
	module_param_cb(name, &param_ops_charp, &pghot_tunables[id].text, 0);	\
	__MODULE_PARM_TYPE(name, "int");					\
	MODULE_PARM_DESC(name, description)

TUNABLE_PARAM(enabled_sources, TUNABLE_ENABLED_SOURCES,
	      "Sources of hotness, a bit mask. 1: NUMA hint faults in tiering mode, 2: hardware and other modules, 4: accessed bits, 8: page cache read by system calls, 16: ageing of the multi-gen LRU, 32: performance counters, 64: AMD's memory profiler, 128: CXL hotness monitoring units, 256: the lab's virtual one. (3)");
TUNABLE_PARAM(target_nid, TUNABLE_TARGET_NID,
	      "Node to promote to, -1: the one that uses the page. (-1)");
TUNABLE_PARAM(freq_threshold, TUNABLE_FREQ_THRESHOLD,
	      "Accesses within the window that make a page hot, 1 to 3, precise mode 1 to 7. (2)");
TUNABLE_PARAM(promote_freq_window_ms, TUNABLE_FREQ_WINDOW,
	      "Window in which accesses are counted, 1000 to 3968 ms, precise mode 1000 to 16383 ms. (3000, precise mode 5000)");
TUNABLE_PARAM(promote_rate_limit_MBps, TUNABLE_RATE_LIMIT,
	      "Promotion to each node, 1 to 1048576 MB/s. (65536)");
TUNABLE_PARAM(promote_threshold_window_ms, TUNABLE_THRESHOLD_WINDOW,
	      "How often the hot threshold is tuned to the rate limit, 1000 to 60000 ms. (60000)");
TUNABLE_PARAM(promote_cpu_percent, TUNABLE_PROMOTE_CPU,
	      "What promotion may use of the time of all CPUs, 1 to 100 %. (50)");
TUNABLE_PARAM(kmigrated_sleep_ms, TUNABLE_SLEEP,
	      "How long ready pages gather before kmigrated promotes them, 0 to 1000 ms. (4)");
TUNABLE_PARAM(kmigrated_batch_nr, TUNABLE_BATCH_NR,
	      "Base pages promoted in one batch, 64 to 1024. (512)");
TUNABLE_PARAM(scan_cpu_percent, TUNABLE_SCAN_CPU,
	      "What the accessed-bit scanner, and ageing of the multi-gen LRU, may each use of one CPU, 1 to 100 %. (50)");
TUNABLE_PARAM(perf_overhead_permille, TUNABLE_PERF_OVERHEAD,
	      "What sampling by performance counters may take of each CPU, 1 to 1000 per mille. (10)");
TUNABLE_PARAM(perf_period, TUNABLE_PERF_PERIOD,
	      "Events from sample to sample when counters start, 1 to 134217712. (10000)");
TUNABLE_PARAM(perf_period_min, TUNABLE_PERF_PERIOD_MIN,
	      "Events from sample to sample at least, 1 to 134217712. (1000)");
TUNABLE_PARAM(mprof_period, TUNABLE_MPROF_PERIOD,
	      "Ops of which AMD's memory profiler looks at one, 5000 to 134217727. (10000)");
TUNABLE_PARAM(hmu_threshold, TUNABLE_HMU_THRESHOLD,
	      "Accesses in an epoch that hotness monitoring units report from, up to 1000000, 0: as they come. (0)");

static char *mode;
module_param(mode, charp, 0);
MODULE_PARM_DESC(mode, "Records: default (1 byte a page) or precise (4 bytes). (default)");

static char *slow_nodes;
module_param(slow_nodes, charp, 0);
MODULE_PARM_DESC(slow_nodes, "Nodes to promote from, as 2-3. (what the kernel's memory tiers say)");

static nodemask_t named_slow;

static int tunable_parse(const struct tunable *tunable, const char *text, size_t len, int *value)
{
	char number[TUNABLE_TEXT];
	int ret;

	if (len >= sizeof(number) || memchr(text, '\0', len))
		return -EINVAL;
	memcpy(number, text, len);
	number[len] = '\0';

	ret = kstrtoint(number, 0, value);
	if (ret)
		return ret;
	if (*value < tunable->min || *value > tunable->max[precise])
		return -ERANGE;
	if (tunable->value == &pghot_target_nid && *value != NUMA_NO_NODE &&
	    !node_state(*value, N_MEMORY))
		return -EINVAL;
	return 0;
}

static void tunable_store(const struct tunable *tunable, int value)
{
	const struct rec_format *f = precise ? &rec_precise : &rec_default;
	u64 window_ns;

	WRITE_ONCE(*tunable->value, value);
	window_ns = pghot_promote_freq_window_ms * (u64)NSEC_PER_MSEC;
	rec_set_rule(f, &pghot_rule, rec_bucket(f, window_ns), pghot_freq_threshold);
}

/**
 * tunable_set() - set a tunable, through whichever door
 * @tunable: which
 * @text: a number as kstrtoint() takes it: decimal, octal or hexadecimal, nothing before
 *	it, and nothing after it but a newline
 * @len: length of @text
 *
 * Process context, sleeps.
 *
 * Return: 0; -EINVAL if @text is no number, or not that of a node with memory where it
 * must be; -ERANGE if the number is out of range; or why a source cannot start. On any
 * error the old value stays.
 */
int tunable_set(const struct tunable *tunable, const char *text, size_t len)
{
	int value, ret = tunable_parse(tunable, text, len, &value);

	if (ret)
		return ret;
	mutex_lock(&tunables_lock);
	if (tunable->value == &pghot_enabled_sources)
		ret = sources_set(value);
	else
		tunable_store(tunable, value);
	mutex_unlock(&tunables_lock);
	return ret;
}

static int load_mode(void)
{
	int i = mode ? match_string(modes, ARRAY_SIZE(modes), mode) : 0;

	if (i < 0) {
		pr_err("pghot: mode=%s: must be default or precise\n", mode);
		return i;
	}
	precise = i;
	return 0;
}

/* Nodes may be named that get their memory later, but some of it has to be fast now. */
static int load_slow_nodes(void)
{
	int ret = slow_nodes ? nodelist_parse(slow_nodes, named_slow) : 0;

	if (!ret && (!nodes_subset(named_slow, node_possible_map) ||
		     nodes_subset(node_states[N_MEMORY], named_slow)))
		ret = -EINVAL;
	if (ret)
		pr_err("pghot: slow_nodes=%s: must be a list of nodes (%*pbl), but not of all with memory (%*pbl)\n",
		       slow_nodes, nodemask_pr_args(&node_possible_map),
		       nodemask_pr_args(&node_states[N_MEMORY]));
	return ret;
}

/* The sources start later, when the rest of the module stands. */
static int load_tunable(const struct tunable *tunable)
{
	int ret, value = tunable->initial[precise];

	if (tunable->text) {
		ret = tunable_parse(tunable, tunable->text, strlen(tunable->text), &value);
		if (ret && tunable->value == &pghot_target_nid)
			pr_err("pghot: target_nid=%s: must be -1 or a node with memory (%*pbl)\n",
			       tunable->text, nodemask_pr_args(&node_states[N_MEMORY]));
		else if (ret)
			pr_err("pghot: %s=%s: must be a number from %d to %d\n", tunable->name,
			       tunable->text, tunable->min, tunable->max[precise]);
		if (ret)
			return ret;
	}
	tunable_store(tunable, value);
	return 0;
}

/**
 * tunables_load() - take over the module's parameters
 *
 * Process context, before anything else of pghot.
 *
 * Return: 0; -EINVAL or -ERANGE with parameter and range in the log.
 */
int tunables_load(void)
{
	int i, ret = load_mode();

	if (!ret)
		ret = load_slow_nodes();
	for (i = 0; !ret && i < PGHOT_NR_TUNABLES; i++)
		ret = load_tunable(&pghot_tunables[i]);
	return ret;
}

/**
 * pghot_mode_is_precise() - did the administrator choose precise mode?
 *
 * Any context, after tunables_load(). Slow: for setting up.
 */
bool pghot_mode_is_precise(void)
{
	return precise;
}

/**
 * tunables_mode() - name of the mode
 *
 * Any context, after tunables_load().
 */
const char *tunables_mode(void)
{
	return modes[precise];
}

/**
 * tunables_slow_nodes() - the nodes that the administrator calls slow
 *
 * Any context, after tunables_load().
 *
 * Return: nodes that all had memory then, and not all that had; empty if the kernel's
 * memory tiers say it.
 */
const nodemask_t *tunables_slow_nodes(void)
{
	return &named_slow;
}

/**
 * tunables_init() - open the doors: sysfs, sysctl, debugfs
 *
 * Process context, sleeps. The rest of pghot stands.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int tunables_init(void)
{
	int ret = sysfs_door_open();

	if (ret)
		return ret;
	ret = sysctl_door_open();
	if (ret) {
		sysfs_door_close();
		return ret;
	}
	debugfs_door_open();
	return 0;
}

/**
 * tunables_exit() - close the doors
 *
 * Process context, sleeps until nobody is inside one.
 */
void tunables_exit(void)
{
	debugfs_door_close();
	sysctl_door_close();
	sysfs_door_close();
}
