// SPDX-License-Identifier: GPL-2.0
/*
 * Whoever uses memory makes it hot, and promotion is done by threads that run ahead of all
 * others. So what they may take is bounded, and shared fairly among memory cgroups: a group
 * that makes much hot does not keep that of others from being promoted. Groups that share a
 * limit, or have one alone, are one user of CPU time; of the others each is one.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>

#include "core/share.h"
#include "core/slow.h"
#include "core/tunable.h"
#include "pghot.h"
#include "promote/budget.h"
#include "promote/cgroups.h"
#include "promote/fairshare.h"
#include "promote/limit.h"
#include "wrapper/memcg.h"

/*
 * A pass that met pages of those who have used their share looks at all of them: the next
 * begins no earlier than this, and this many times later than the pass took; but when the
 * next second begins at the latest. ns, times.
 */
#define LOOK		(50 * NSEC_PER_MSEC)
#define LOOK_REST	4

PGHOT_TUNABLE(promote_cpu_percent,
	      "What promotion may use of the time of all CPUs, 1 to 100 %. (50)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 1,
	      .max = BOTH_MODES(100),
	      .initial = BOTH_MODES(50));

/* Under pghot_cgroups_lock, as limits are. */
static struct fairshare shares;

static u64 budget_ns(void)
{
	return (u64)num_online_cpus() * pghot_tunable_get(&pghot_promote_cpu_percent) *
	       (NSEC_PER_SEC / 100);
}

/**
 * pghot_budget_init() - nobody has used anything
 *
 * Process context, before kmigrated runs.
 */
void pghot_budget_init(void)
{
	pghot_fair_init(&shares, budget_ns(), pghot_clock());
}

/**
 * pghot_budget_ask() - may a page be promoted now?
 * @folio: the folio, referenced by the caller
 *
 * Process context. Takes nothing.
 *
 * Return: the verdict.
 */
enum budget_verdict pghot_budget_ask(struct folio *folio)
{
	struct mem_cgroup *memcg = pghot_memcg_get(folio);
	enum budget_verdict verdict = BUDGET_GO;
	u64 key, now = pghot_clock();
	struct limit *limit;

	spin_lock(&pghot_cgroups_lock);
	limit = pghot_cgroups_find(pghot_memcg_cgroup(memcg), &key);
	if (limit && !limit->pages_per_s)
		verdict = BUDGET_NEVER;
	else if (limit && !limit_ask(limit, now))
		verdict = BUDGET_LIMIT;
	else if (!pghot_fair_ask(&shares, key, budget_ns(), now))
		verdict = BUDGET_CPU;
	spin_unlock(&pghot_cgroups_lock);
	pghot_memcg_put(memcg);
	return verdict;
}

/**
 * pghot_budget_take() - take for a folio that is put into a batch
 * @memcg: its memory cgroup, referenced by the caller, or NULL
 * @nr: its size, base pages
 *
 * Process context.
 *
 * Return: CPU time taken, ns, for pghot_budget_settle().
 */
u64 pghot_budget_take(struct mem_cgroup *memcg, unsigned int nr)
{
	struct limit *limit;
	u64 key, taken;

	spin_lock(&pghot_cgroups_lock);
	limit = pghot_cgroups_find(pghot_memcg_cgroup(memcg), &key);
	if (limit)
		limit_take(limit, nr);
	taken = pghot_fair_take(&shares, key, nr);
	spin_unlock(&pghot_cgroups_lock);
	return taken;
}

/**
 * pghot_budget_settle() - say what a batch has cost
 * @memcg: its memory cgroup, referenced by the caller, or NULL
 * @taken: what was taken for its folios, ns
 * @cost: CPU time used, ns
 * @nr: its size, base pages
 *
 * Process context.
 */
void pghot_budget_settle(struct mem_cgroup *memcg, u64 taken, u64 cost, unsigned int nr)
{
	u64 key;

	spin_lock(&pghot_cgroups_lock);
	pghot_cgroups_find(pghot_memcg_cgroup(memcg), &key);
	pghot_fair_settle(&shares, key, taken, cost, nr);
	spin_unlock(&pghot_cgroups_lock);
}

/* What one kmigrated may use of a CPU, %: all of them half of the budget. */
static unsigned int pass_percent(void)
{
	unsigned int slow = max(nodes_weight(pghot_slow_nodes), 1);

	return clamp(num_online_cpus() * pghot_tunable_get(&pghot_promote_cpu_percent) / (2 * slow),
		     1u, 100u);
}

/**
 * pghot_budget_pass() - say what a pass of kmigrated has cost
 * @cost: CPU time used, ns
 * @refused: it met pages for which pghot_budget_ask() said BUDGET_CPU or BUDGET_LIMIT
 *
 * Process context.
 *
 * Return: how long to rest before the next one, ms.
 */
unsigned int pghot_budget_pass(u64 cost, bool refused)
{
	u64 rest = share_rest_ns(cost, pass_percent(), 1), wait;

	spin_lock(&pghot_cgroups_lock);
	fair_overhead(&shares, cost);
	wait = pghot_fair_wait_ns(&shares, pghot_clock());
	spin_unlock(&pghot_cgroups_lock);
	if (refused)
		rest = max(rest, min(wait, max((u64)LOOK, LOOK_REST * cost)));
	return div_u64(rest + NSEC_PER_MSEC - 1, NSEC_PER_MSEC);
}
