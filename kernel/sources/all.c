// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The list of all sources
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/counter.h"
#include "core/part.h"
#include "sources/all.h"
#include "sources/sources.h"

/* Of samples.c. */
PGHOT_DECLARE_COUNTER(samples_lost);
PGHOT_DECLARE_COUNTER(left_bound);

static struct pghot_part shared_part = {
	.counters = COUNTERS(COUNTER(samples_lost), COUNTER(left_bound)),
};

static struct pghot_source *const all[] = {
	&pghot_hintfaults_source,
	&pghot_hwhints_source,
	&pghot_accessed_source,
	&pghot_pagecache_source,
	&pghot_mglru_source,
	&pghot_perf_source,
#ifdef CONFIG_X86
	&pghot_mprof_source,
#endif
	&pghot_chmu_source,
	&pghot_vhmu_source,
	&pghot_windows_source,
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
