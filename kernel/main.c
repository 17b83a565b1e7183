// SPDX-License-Identifier: GPL-2.0
/*
 * pghot: hot-page tracking and promotion for tiered memory.
 *
 * The parts of the module, from the lowest to the highest: what is reached of the kernel
 * (wrapper/), the store of records (core/), promotion (promote/), the sources of hotness
 * (sources/) and the files for administrators (surface/). Each uses those below it only.
 */
#include <linux/module.h>

#include "core/core.h"
#include "core/mode.h"
#include "core/part.h"
#include "core/source.h"
#include "core/tunable.h"
#include "promote/promote.h"
#include "sources/sources.h"
#include "surface/surface.h"
#include "wrapper/symbols.h"

/* Takes over the parameters. Returns 0, or what is wrong with one, which the log names. */
static int __init load(void)
{
	int ret;

	ret = pghot_mode_load();
	if (!ret)
		ret = pghot_promote_load();
	if (!ret)
		ret = pghot_sources_register();
	if (ret)
		return ret;
	pghot_core_register();
	pghot_promote_register();
	return pghot_parts_load();
}

static void sources_stop(void)
{
	pghot_sources_set(0);
	pghot_sources_forget();
}

static int __init pghot_init(void)
{
	int ret;

	ret = pghot_symbols_resolve();
	if (ret)
		return ret;
	ret = load();
	if (ret)
		return ret;
	ret = pghot_core_init();
	if (ret)
		return ret;
	ret = pghot_promote_start();
	if (ret)
		goto no_promotion;
	ret = pghot_sources_set(pghot_tunable_get(&pghot_enabled_sources));
	if (ret)
		goto no_sources;
	ret = pghot_surface_open();
	if (ret)
		goto no_surface;
	return 0;

no_surface:
	sources_stop();
no_sources:
	pghot_promote_stop();
no_promotion:
	pghot_core_exit();
	return ret;
}

static void __exit pghot_exit(void)
{
	pghot_surface_close();
	sources_stop();
	pghot_promote_stop();
	pghot_core_exit();
}

module_init(pghot_init);
module_exit(pghot_exit);

MODULE_DESCRIPTION("Hot-page tracking and promotion for tiered memory");
MODULE_LICENSE("GPL");
