// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The list of all sources
 */
#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>

#include "core/counter.h"
#include "core/part.h"
#include "sources/all.h"
#include "sources/sources.h"

/* Of samples.c. */
PGHOT_DECLARE_COUNTER(samples_lost);
/* Of mappings.c. */
PGHOT_DECLARE_COUNTER(left_bound);

/* What this kernel may not have comes last, as NULL ends the list. */
static struct pghot_part shared_part = {
	.counters = COUNTERS(COUNTER(samples_lost),
			     IS_ENABLED(CONFIG_PGHOT_PAGE_TABLES) ? COUNTER(left_bound) : NULL),
};

/* Those that this kernel has. */
static struct pghot_source *const all[] = {
	&pghot_hintfaults_source,
	&pghot_hwhints_source,
	IS_ENABLED(CONFIG_PGHOT_ACCESSED) ? &pghot_accessed_source : NULL,
	IS_ENABLED(CONFIG_PGHOT_PAGECACHE) ? &pghot_pagecache_source : NULL,
	IS_ENABLED(CONFIG_PGHOT_MGLRU) ? &pghot_mglru_source : NULL,
	IS_ENABLED(CONFIG_PGHOT_PERF) ? &pghot_perf_source : NULL,
	IS_ENABLED(CONFIG_PGHOT_MPROF) ? &pghot_mprof_source : NULL,
	IS_ENABLED(CONFIG_PGHOT_CHMU) ? &pghot_chmu_source : NULL,
	IS_ENABLED(CONFIG_PGHOT_WINDOWS) ? &pghot_windows_source : NULL,
};

/**
 * pghot_sources_register() - make all sources known
 *
 * Process context, while the kernel boots.
 *
 * Return: 0, or -EINVAL if two sources have the same place in enabled_sources.
 */
int pghot_sources_register(void)
{
	int i, ret = 0;

	pghot_part_register(&shared_part);
	for (i = 0; i < ARRAY_SIZE(all) && !ret; i++)
		if (all[i])
			ret = pghot_source_register(all[i]);
	return ret;
}
