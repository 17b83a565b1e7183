// SPDX-License-Identifier: GPL-2.0
/*
 * All sources, and what several of them share.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/counter.h"
#include "core/part.h"
#include "core/tunable.h"
#include "sources/sources.h"
#include "wrapper/divert.h"

/* Of samples.c. */
PGHOT_DECLARE_COUNTER(samples_lost);

PGHOT_TUNABLE(scan_cpu_percent,
	      "What the accessed-bit scanner, and ageing of the multi-gen LRU, may each use of one CPU, 1 to 100 %. (50)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 1,
	      .max = BOTH_MODES(100),
	      .initial = BOTH_MODES(50));

static struct pghot_part shared_part = {
	.tunables = TUNABLES(&pghot_scan_cpu_percent),
	.counters = COUNTERS(COUNTER(samples_lost)),
};

static struct pghot_source *const all[] = {
	&pghot_hintfaults_source,
	&pghot_hwhints_source,
	&pghot_accessed_source,
	&pghot_pagecache_source,
	&pghot_mglru_source,
	&pghot_perf_source,
	&pghot_mprof_source,
	&pghot_chmu_source,
	&pghot_vhmu_source,
};

/**
 * pghot_sources_register() - make all sources known
 *
 * Process context, while the module loads.
 *
 * Return: 0, or -EINVAL if two sources have the same place in enabled_sources.
 */
int pghot_sources_register(void)
{
	int i, ret = 0;

	pghot_part_register(&shared_part);
	for (i = 0; i < ARRAY_SIZE(all) && !ret; i++)
		ret = pghot_source_register(all[i]);
	return ret;
}

/**
 * pghot_source_watch() - pghot_watch_start() for a source, which says why it is not available
 * @source: the source
 * @watch: what it watches
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno of pghot_watch_start(), with the reason in the log.
 */
int pghot_source_watch(struct pghot_source *source, struct divert *watch)
{
	int ret = pghot_watch_start(watch);

	if (ret == -ENOENT)
		pghot_source_unavailable(source, "this kernel has no function %s to watch",
					 watch->function);
	else if (ret == -ENOEXEC)
		pghot_source_unavailable(source, "%s is of another type", watch->function);
	else if (ret == -EBUSY)
		pghot_source_unavailable(source, "kernel.ftrace_enabled is 0");
	else if (ret)
		pghot_source_unavailable(source, "%s cannot be watched (%d)", watch->function,
					 ret);
	return ret;
}
