// SPDX-License-Identifier: GPL-2.0
/*
 * pghot: hot-page tracking and promotion for tiered memory.
 */
#include <linux/jump_label.h>
#include <linux/module.h>

#include "admit.h"
#include "budget.h"
#include "cgroups.h"
#include "demotion.h"
#include "hotmap.h"
#include "promote.h"
#include "sources/accessed.h"
#include "sources/sources.h"
#include "stats.h"
#include "tiers.h"
#include "tunables.h"
#include "wrapper/symbols.h"

static int __init pghot_init(void)
{
	int ret;

	ret = symbols_resolve();
	if (ret)
		return ret;
	ret = tunables_load();
	if (ret)
		return ret;
	if (pghot_mode_is_precise())
		static_branch_enable(&pghot_precise);

	ret = stats_init();
	if (ret)
		return ret;
	ret = hotmap_init();
	if (ret)
		goto no_map;
	ret = admit_init();
	if (ret)
		goto no_throttles;
	budget_init();
	ret = promote_init();
	if (ret)
		goto no_workers;
	ret = tiers_start();
	if (ret)
		goto no_tiers;
	ret = sources_set(pghot_enabled_sources);
	if (ret)
		goto no_sources;
	ret = tunables_init();
	if (ret)
		goto no_tunables;
	demotion_start();
	return 0;

no_tunables:
	sources_set(0);
	accessed_scale_exit();
	cgroups_exit();
no_sources:
	tiers_stop();
no_tiers:
	promote_exit();
no_workers:
	admit_exit();
no_throttles:
	hotmap_exit();
no_map:
	stats_exit();
	return ret;
}

static void __exit pghot_exit(void)
{
	demotion_stop();
	tunables_exit();
	sources_set(0);
	accessed_scale_exit();
	cgroups_exit();
	tiers_stop();
	promote_exit();
	admit_exit();
	hotmap_exit();
	stats_exit();
}

module_init(pghot_init);
module_exit(pghot_exit);

MODULE_DESCRIPTION("Hot-page tracking and promotion for tiered memory");
MODULE_LICENSE("GPL");
