// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: NUMA hint faults in tiering mode
 *
 * In a hint fault the kernel asks should_numa_migrate_memory() whether to promote the folio there
 * and then. For folios of slow nodes pghot answers instead: it records the access and says no. For
 * all other folios, and while tiering mode is off, the kernel's own function runs.
 */
#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/sched/numa_balancing.h>
#include <linux/topology.h>

#include "core/slow.h"
#include "pghot.h"
#include "sources/sources.h"
#include "wrapper/divert.h"
#include "wrapper/folio.h"
#include "wrapper/numascan.h"
#include "wrapper/placement.h"

/* Place in enabled_sources. */
#define HINTFAULTS_BIT	0

PGHOT_DECLARE_SOURCE(hintfaults);
PGHOT_RECORDED(recorded_hintfaults, HINTFAULTS_BIT);

/*
 * Runs under the page-table lock, which keeps the folio mapped. The more time has passed since the
 * scan that marked the page, the less often the page is used. So the time in the record is that of
 * the scan. The hot threshold then sees how long it took until the access, as that of the kernel
 * does.
 */
static bool hintfault_record(struct task_struct *task, struct folio *folio, int src_nid,
			     int dst_cpu)
{
	u64 latency = min(pghot_folio_scan_latency_ms(folio) * (u64)NSEC_PER_MSEC, pghot_memory());

	if (pghot_record_folio(folio, cpu_to_node(dst_cpu), HINTFAULTS_BIT,
			       pghot_clock() - latency) > 0)
		pghot_numascan_slow_down(task);
	return false;
}

static_assert(__same_type(hintfault_record, should_numa_migrate_memory));

static void notrace hintfault_divert(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int src_nid = (int)divert_arg(fregs, 2);

	/*
	 * On a node that only the administrator calls slow, hint faults are not those of tiering.
	 */
	if (divert_is_on(ops) && pghot_is_slow(src_nid) && pghot_placement_tiering_enabled() &&
	    !pghot_placement_is_toptier(src_nid))
		divert_to(fregs, hintfault_record);
}

static struct divert hintfault_diversion = {
	.function = "should_numa_migrate_memory",
	.handler = hintfault_divert,
};

/* Says what keeps hint faults from coming, though the source is on. */
static void hintfault_complain(void)
{
	nodemask_t blind = NODE_MASK_NONE;
	int nid;

	for_each_node_mask(nid, pghot_slow_nodes)
		if (pghot_placement_is_toptier(nid))
			node_set(nid, blind);
	if (!pghot_placement_tiering_enabled())
		pr_info("hint faults: none will arrive until kernel.numa_balancing has tiering mode, 2, set\n");
	else if (!nodes_empty(blind))
		pr_warn("hint faults: none will arrive from node %*pbl, which is slow by name only: the kernel counts it as top tier\n",
			nodemask_pr_args(&blind));
}

/* Returns 0 or -errno of pghot_divert_start(). */
static int hintfault_start(void)
{
	int ret = pghot_divert_start(&hintfault_diversion);

	/* The log has already said what stands in the way. */
	if (ret)
		pghot_source_unavailable(&pghot_hintfaults_source, "%s cannot be diverted (%d)",
					 hintfault_diversion.function, ret);
	else
		hintfault_complain();
	return ret;
}

static void hintfault_stop(void)
{
	pghot_divert_stop(&hintfault_diversion);
}

struct pghot_source pghot_hintfaults_source = {
	.name = "hintfaults",
	.title = "hint faults",
	.bit = HINTFAULTS_BIT,
	.wanted = pghot_placement_tiering_enabled,
	.takes_hint_faults = true,
	.is_seldom = true,
	.start = hintfault_start,
	.stop = hintfault_stop,
	.part.counters = COUNTERS(COUNTER(recorded_hintfaults)),
};
