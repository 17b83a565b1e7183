// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What promotion shows, and its start and end
 */
#include "core/counter.h"
#include "core/part.h"
#include "promote/admit.h"
#include "promote/budget.h"
#include "promote/cgroups.h"
#include "promote/demotion.h"
#include "promote/kmigrated.h"
#include "promote/promote.h"
#include "promote/promoter.h"
#include "promote/room.h"
#include "promote/target.h"
#include "promote/tiers.h"
#include "promote/trace.h"

/* Of demotion.c. */
PGHOT_DECLARE_COUNTER(demote_second_chance);
PGHOT_DECLARE_COUNTER(demote_to_swap);

static struct pghot_part promote_part = {
	.tunables = TUNABLES(&pghot_target_nid, &pghot_promote_rate_limit_MBps,
			     &pghot_promote_threshold_window_ms, &pghot_promote_cpu_percent,
			     &pghot_kmigrated_sleep_ms, &pghot_kmigrated_batch_nr),
	.counters = COUNTERS(COUNTER(demote_second_chance), COUNTER(demote_to_swap)),
	.events = EVENTS(EVENT(pghot_refuse), EVENT(pghot_promote), EVENT(pghot_demote),
			 EVENT(pghot_threshold)),
	.files = TEXTFILES(&pghot_slow_nodes_file, &pghot_cgroups_file),
};

/**
 * pghot_promote_register() - have promotion's tunables, counters and files shown
 *
 * Process context, while the module loads.
 */
void pghot_promote_register(void)
{
	pghot_part_register(&promote_part);
}

/**
 * pghot_promote_load() - take over parameters that are no tunables
 *
 * Process context, while the module loads.
 *
 * Return: 0, or -EINVAL with the reason in the log.
 */
int pghot_promote_load(void)
{
	return pghot_tiers_load();
}

/**
 * pghot_promote_start() - promote what is ready on slow nodes
 *
 * Process context, sleeps. The core is there, and the tunables have their values.
 *
 * Return: 0 or -errno, with nothing left behind.
 */
int pghot_promote_start(void)
{
	int ret;

	ret = pghot_admit_init();
	if (ret)
		return ret;
	pghot_budget_init();
	ret = pghot_workers_init();
	if (ret)
		goto no_workers;
	ret = pghot_room_init();
	if (ret)
		goto no_room;
	ret = pghot_tiers_start();
	if (ret)
		goto no_tiers;
	pghot_demotion_start();
	return 0;

no_tiers:
	pghot_room_exit();
no_room:
	pghot_workers_exit();
no_workers:
	pghot_admit_exit();
	return ret;
}

/**
 * pghot_promote_announce() - say in the log what is promoted from where
 *
 * Process context, sleeps. The module's load has succeeded.
 */
void pghot_promote_announce(void)
{
	pghot_tiers_announce();
}

/**
 * pghot_promote_stop() - promote nothing any more
 *
 * Process context, sleeps. The sources are off, and nobody sets anything any more.
 */
void pghot_promote_stop(void)
{
	pghot_demotion_stop();
	pghot_cgroups_exit();
	pghot_tiers_stop();
	pghot_room_exit();
	pghot_workers_exit();
	pghot_admit_exit();
}
