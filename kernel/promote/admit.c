// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The throttles of all target nodes
 *
 * This is the throttle's rule (throttle.c) with what it needs of the kernel: a lock and a state
 * for each target node, the tunables, the time, and the counters.
 */
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmstat.h>

#include "core/nodestat.h"
#include "core/rule.h"
#include "core/slow.h"
#include "core/source.h"
#include "core/tunable.h"
#include "pghot.h"
#include "promote/admit.h"
#include "promote/trace.h"
#include "testing/inject.h"
#include "wrapper/placement.h"

PGHOT_TUNABLE(promote_rate_limit_MBps, "Promotion to each node, 1 to 1048576 MB/s. (65536)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 1,
	      .max = BOTH_MODES(1048576),
	      .initial = BOTH_MODES(65536));

PGHOT_TUNABLE(promote_threshold_window_ms,
	      "How often the hot threshold is tuned to the rate limit, 1000 to 60000 ms. (60000)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 1000,
	      .max = BOTH_MODES(60000),
	      .initial = BOTH_MODES(60000));

/* By target node. Several slow nodes may promote to the same target. */
static struct gate {
	spinlock_t lock; /* of the throttle */
	struct throttle throttle;
} *gates;

/*
 * Does the kernel promote in hint faults itself? Then it limits its rate by how fast
 * pgpromote_candidate grows. What pghot counted there would be taken from the kernel's budget.
 * Where pghot takes hint faults, those of a lower node that it does not promote from are still the
 * kernel's.
 */
static bool kernel_promotes(void)
{
	int nid;

	if (!pghot_placement_tiering_enabled())
		return false;
	if (!pghot_sources_take_hint_faults())
		return true;
	for_each_node_state(nid, N_MEMORY)
		if (!pghot_is_slow(nid) && !pghot_placement_is_toptier(nid))
			return true;
	return false;
}

/**
 * pghot_admit_init() - make the throttles
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_admit_init(void)
{
	int nid;

	gates = inject_alloc(NULL, kcalloc(nr_node_ids, sizeof(*gates), GFP_KERNEL));
	if (!gates)
		return -ENOMEM;
	for (nid = 0; nid < nr_node_ids; nid++) {
		spin_lock_init(&gates[nid].lock);
		pghot_throttle_init(&gates[nid].throttle, pghot_admit_now());
	}
	return 0;
}

/**
 * pghot_admit_exit() - free the throttles
 */
void pghot_admit_exit(void)
{
	kfree(gates);
}

/**
 * pghot_admit() - may a page be promoted now?
 * @nid: target node, with memory
 * @nr: size of the folio, base pages
 * @age_ms: time since its last access, ms
 * @counted: it was refused for the rate before, and waits since
 *
 * Process context. Counts candidates where the kernel counts its own
 * (pgpromote_candidate), unless the kernel promotes itself and needs the counter.
 *
 * Return: verdict of pghot_throttle_ask().
 */
enum throttle_verdict pghot_admit(int nid, unsigned int nr, unsigned int age_ms, bool counted)
{
	const struct throttle_limits limits = {
		.reference_ms = pghot_tunable_get(&pghot_promote_freq_window_ms),
		.pages_per_s = pghot_tunable_get(&pghot_promote_rate_limit_MBps) *
			       (unsigned long)(SZ_1M / PAGE_SIZE),
		.tune_ms = pghot_tunable_get(&pghot_promote_threshold_window_ms),
	};
	struct throttle_page page = {
		.age_ms = age_ms,
		.nr = nr,
		.roomy = pghot_placement_is_roomy(nid),
		.counted = counted,
	};
	struct throttle *throttle = &gates[nid].throttle;
	enum throttle_verdict verdict;
	unsigned int before, after;
	u64 candidates;

	spin_lock(&gates[nid].lock);
	/* Here, as for the throttle it may not run backwards. */
	page.now_ms = pghot_admit_now();
	before = throttle_threshold_ms(throttle, &limits);
	candidates = throttle_candidates(throttle);
	verdict = pghot_throttle_ask(throttle, &limits, &page);
	after = throttle_threshold_ms(throttle, &limits);
	candidates = throttle_candidates(throttle) - candidates;
	spin_unlock(&gates[nid].lock);

	if (candidates) {
		if (!kernel_promotes())
			mod_node_page_state(NODE_DATA(nid), PGPROMOTE_CANDIDATE, candidates);
		pghot_nodestat_add(nid, NODE_STAT_CANDIDATES, candidates);
	}
	pghot_nodestat_set(nid, NODE_STAT_HOT_THRESHOLD_MS, after);
	if (before != after)
		trace_pghot_threshold(nid, before, after);
	return verdict;
}

/**
 * pghot_admit_return() - give back what pghot_admit() granted, as the page could not be taken
 * @nid: target node
 * @nr: size of the folio, base pages
 *
 * Process context. The page stays a candidate that was counted.
 */
void pghot_admit_return(int nid, unsigned int nr)
{
	spin_lock(&gates[nid].lock);
	pghot_throttle_return(&gates[nid].throttle, nr);
	spin_unlock(&gates[nid].lock);
}

/**
 * pghot_admit_now() - the time that the throttles reckon in
 *
 * Any context.
 *
 * Return: ms; it wraps.
 */
unsigned int pghot_admit_now(void)
{
	return (u32)(pghot_clock() / NSEC_PER_MSEC);
}

/**
 * pghot_admit_next_second() - when to ask again after THROTTLE_RATE
 * @nid: target node
 *
 * Any context.
 *
 * Return: time of pghot_admit_now() at which the next second begins.
 */
unsigned int pghot_admit_next_second(int nid)
{
	return READ_ONCE(gates[nid].throttle.second_start) + MSEC_PER_SEC + 1;
}
