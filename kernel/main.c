// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Loading and unloading pghot
 *
 * The parts of the module are started from the lowest to the highest: what is reached of the
 * kernel (wrapper/), the store of records (core/), the policy (policy/), promotion (promote/), the
 * sources of hotness (sources/) and the files for administrators (surface/). Each part uses only
 * the parts below it. They are stopped in reverse order.
 */
#include <linux/module.h>

#include "core/core.h"
#include "core/mode.h"
#include "core/part.h"
#include "core/source.h"
#include "core/tunable.h"
#include "policy/policy.h"
#include "policy/way.h"
#include "promote/promote.h"
#include "sources/all.h"
#include "surface/surface.h"
#include "wrapper/symbols.h"
#include "wrapper/tested.h"

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
	pghot_policy_register();
	pghot_promote_register();
	return pghot_parts_load();
}

static void sources_stop(void)
{
	pghot_way_stop();
	pghot_sources_forget();
}

static int __init pghot_init(void)
{
	int ret;

	ret = pghot_tested_load();
	if (ret)
		return ret;
	ret = pghot_symbols_resolve();
	if (ret)
		return ret;
	ret = load();
	if (ret)
		return ret;
	ret = pghot_core_init();
	if (ret)
		return ret;
	ret = pghot_policy_init();
	if (ret)
		goto no_policy;
	ret = pghot_promote_start();
	if (ret)
		goto no_promotion;
	ret = pghot_way_start();
	if (ret)
		goto no_sources;
	ret = pghot_surface_open();
	if (ret)
		goto no_surface;
	/* Of a load that fails, the log tells nothing but why. */
	pghot_promote_announce();
	pghot_way_announce();
	return 0;

no_surface:
	sources_stop();
no_sources:
	pghot_promote_stop();
no_promotion:
	pghot_policy_exit();
no_policy:
	pghot_core_exit();
	return ret;
}

static void __exit pghot_exit(void)
{
	pghot_surface_close();
	sources_stop();
	pghot_promote_stop();
	pghot_policy_exit();
	pghot_core_exit();
}

module_init(pghot_init);
module_exit(pghot_exit);

MODULE_DESCRIPTION("Hot-page tracking and promotion for tiered memory");
MODULE_AUTHOR("pghot maintainers");
MODULE_LICENSE("GPL");
/* That of the file VERSION, which is not there where the module is built by itself. */
MODULE_VERSION("0.3.0");
