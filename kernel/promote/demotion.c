// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Counting what goes wrong with demotion
 *
 * Demotion is the kernel's own, and makes room for what pghot promotes. Two things that can go
 * wrong with it have no counter in the kernel. The slow node that it chose may be full, so that
 * another node has to take the page. Or no slow node takes the page, and it is swapped out. pghot
 * watches for both, and changes nothing.
 */
#include <linux/mm.h>

#include <trace/events/vmscan.h>

#include "core/counter.h"
#include "promote/demotion.h"
#include "wrapper/divert.h"
#include "wrapper/folio.h"
#include "wrapper/migration.h"
#include "wrapper/placement.h"
#include "wrapper/probe.h"

PGHOT_COUNTER(demote_second_chance);
PGHOT_COUNTER(demote_to_swap);

static void notrace alloc_seen(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			       struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)divert_arg(fregs, 0);

	if (migration_second_chance(divert_arg(fregs, 1)))
		pghot_count(demote_second_chance, folio_nr_pages(folio));
}

static struct divert alloc_watch = {
	.function = "alloc_migration_target",
	.may_pause = true,
	.handler = alloc_seen,
};

static bool alloc_watched;

static void watch_alloc(void)
{
	int ret = migration_is_known() ? pghot_watch_start(&alloc_watch) : -ENOEXEC;

	alloc_watched = !ret;
	if (ret)
		pr_info("demote_second_chance stays 0: cannot watch %s (%d)\n",
			alloc_watch.function, ret);
}

static void unwatch_alloc(void)
{
	if (alloc_watched)
		pghot_watch_stop(&alloc_watch);
	alloc_watched = false;
}

/* The folio belongs to reclaim. It is isolated and referenced, but not locked any more. */
static void write_seen(void *data, struct folio *folio)
{
	/* A folio that is not swap-backed was written to its file. */
	if (folio_test_swapbacked(folio) && pghot_placement_can_demote(pghot_folio_nid(folio)))
		pghot_count(demote_to_swap, folio_nr_pages(folio));
}

static struct probe write_probe = PROBE(mm_vmscan_write_folio, write_seen);

static void watch_write(void)
{
	int ret;

	if (!pghot_placement_knows_demotion()) {
		pr_info("demote_to_swap stays 0: cannot tell whether nodes demote\n");
		return;
	}
	ret = pghot_probe_start(&write_probe);
	if (ret)
		pr_info("demote_to_swap stays 0: cannot watch %s (%d)\n",
			write_probe.event, ret);
}

/**
 * pghot_demotion_start() - count demotions that do not go as meant
 *
 * Two counters, in base pages. Neither is exact:
 *
 * - demote_second_chance counts tries. A folio whose migration the kernel tries
 *   again is counted again; so are the pages of a huge page that found no room as
 *   a whole and was split. The second chance may come to nothing, too. It is taken
 *   even if the only slow node is the one that was asked first.
 * - demote_to_swap counts what reclaim writes to swap from nodes that demote, for
 *   whatever reason: mostly as demotion found no memory, but also when another user
 *   held the page for a moment, and when a program asked for just that
 *   (MADV_PAGEOUT). Pages that swap still has a copy of are dropped without a write,
 *   and not counted.
 *
 * A kernel that cannot be watched leaves a counter at 0, and the log says so.
 *
 * Process context, sleeps.
 */
void pghot_demotion_start(void)
{
	watch_alloc();
	watch_write();
}

/**
 * pghot_demotion_stop() - stop counting
 *
 * Process context, sleeps. On return no reclaim is inside pghot.
 */
void pghot_demotion_stop(void)
{
	pghot_probe_stop(&write_probe);
	unwatch_alloc();
}
