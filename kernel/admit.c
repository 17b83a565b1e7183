// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmstat.h>

#include "admit.h"
#include "inject.h"
#include "pghot.h"
#include "stats.h"
#include "trace.h"
#include "tunables.h"
#include "wrapper/placement.h"

/* By target node; several slow nodes may promote to one. */
static struct gate {
	spinlock_t lock; /* of the throttle */
	struct throttle throttle;
} *gates;

static unsigned int now_ms(void)
{
	return (u32)(pghot_clock() / NSEC_PER_MSEC);
}

/**
 * admit_init() - make the throttles
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int admit_init(void)
{
	int nid;

	gates = inject_alloc(NULL, kcalloc(nr_node_ids, sizeof(*gates), GFP_KERNEL));
	if (!gates)
		return -ENOMEM;
	for (nid = 0; nid < nr_node_ids; nid++) {
		spin_lock_init(&gates[nid].lock);
		throttle_init(&gates[nid].throttle, now_ms());
	}
	return 0;
}

/**
 * admit_exit() - free the throttles
 */
void admit_exit(void)
{
	kfree(gates);
}

/**
 * admit() - may a page be promoted now?
 * @nid: target node, with memory
 * @nr: size of the folio, base pages
 * @age_ms: time since its last access, ms
 * @counted: it was refused for the rate before, and waits since
 *
 * Process context. Counts candidates where the kernel counts its own
 * (pgpromote_candidate).
 *
 * Return: verdict of throttle_ask().
 */
enum throttle_verdict admit(int nid, unsigned int nr, unsigned int age_ms, bool counted)
{
	const struct throttle_limits limits = {
		.reference_ms = READ_ONCE(pghot_promote_freq_window_ms),
		.pages_per_s = READ_ONCE(pghot_promote_rate_limit_MBps) *
			       (unsigned long)(SZ_1M / PAGE_SIZE),
		.tune_ms = READ_ONCE(pghot_promote_threshold_window_ms),
	};
	const struct throttle_page page = {
		.now_ms = now_ms(),
		.age_ms = age_ms,
		.nr = nr,
		.roomy = placement_is_roomy(nid),
		.counted = counted,
	};
	struct throttle *throttle = &gates[nid].throttle;
	enum throttle_verdict verdict;
	unsigned int before, after;
	u64 candidates;

	spin_lock(&gates[nid].lock);
	before = throttle_threshold_ms(throttle, &limits);
	candidates = throttle_candidates(throttle);
	verdict = throttle_ask(throttle, &limits, &page);
	after = throttle_threshold_ms(throttle, &limits);
	candidates = throttle_candidates(throttle) - candidates;
	spin_unlock(&gates[nid].lock);

	if (candidates) {
		mod_node_page_state(NODE_DATA(nid), PGPROMOTE_CANDIDATE, candidates);
		stats_node_add(nid, NODE_STAT_CANDIDATES, candidates);
	}
	stats_node_set(nid, NODE_STAT_HOT_THRESHOLD_MS, after);
	if (before != after)
		trace_pghot_threshold(nid, before, after);
	return verdict;
}

/**
 * admit_wait_ms() - when to ask again after THROTTLE_RATE
 * @nid: target node
 *
 * Any context.
 *
 * Return: ms until the next second begins.
 */
unsigned int admit_wait_ms(int nid)
{
	unsigned int since = now_ms() - READ_ONCE(gates[nid].throttle.second_start);

	return since > MSEC_PER_SEC ? 1 : MSEC_PER_SEC + 1 - since;
}
