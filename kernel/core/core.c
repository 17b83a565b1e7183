// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What the core shows, and its start and end
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>

#include "core/cold.h"
#include "core/core.h"
#include "core/counter.h"
#include "core/hotmap.h"
#include "core/mode.h"
#include "core/nodestat.h"
#include "core/part.h"
#include "core/recmem.h"
#include "core/rule.h"
#include "core/source.h"
#include "core/trace.h"

/* Of access.c. */
PGHOT_DECLARE_COUNTER(recorded_accesses);
PGHOT_DECLARE_COUNTER(made_ready);

static struct pghot_part core_part = {
	.tunables = TUNABLES(&pghot_enabled_sources, &pghot_freq_threshold,
			     &pghot_promote_freq_window_ms),
	.counters = COUNTERS(COUNTER(recorded_accesses), COUNTER(made_ready)),
	.events = EVENTS(EVENT(pghot_record), EVENT(pghot_source), EVENT(pghot_ready)),
	.files = TEXTFILES(&pghot_mode_file, &pghot_recmem_file, &pghot_sources_file),
};

/**
 * pghot_core_register() - have the core's tunables, counters and files shown
 *
 * Process context, while the module loads.
 */
void pghot_core_register(void)
{
	pghot_part_register(&core_part);
}

/**
 * pghot_core_init() - make an empty store of records
 *
 * Process context, sleeps. The tunables have their values.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int pghot_core_init(void)
{
	int ret;

	pghot_rule_update();
	pghot_hot_parts = clamp(num_online_cpus() / HOT_PART_CPUS, 1u, HOT_PARTS_MAX);
	ret = pghot_nodestat_init();
	if (ret)
		return ret;
	ret = pghot_cold_init();
	if (ret)
		goto no_cold;
	ret = pghot_hotmap_init();
	if (ret)
		goto no_hotmap;
	return 0;

no_hotmap:
	pghot_cold_exit();
no_cold:
	pghot_nodestat_exit();
	return ret;
}

/**
 * pghot_core_exit() - free the store
 *
 * Process context, sleeps. All sources are off, and no node is slow any more.
 */
void pghot_core_exit(void)
{
	pghot_hotmap_exit();
	pghot_cold_exit();
	pghot_nodestat_exit();
}
