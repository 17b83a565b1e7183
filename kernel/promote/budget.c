// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What promotion may take
 *
 * Whoever uses memory makes it hot, and the threads that promote it run ahead of all others. So
 * the CPU time of promotion is bounded by promote_cpu_percent, and it is shared fairly among
 * memory cgroups: a cgroup that makes much memory hot does not keep the memory of others from
 * being promoted.
 *
 * An administrator can limit the promotion of cgroups besides. All cgroups that share a limit
 * count as one user of CPU time. A cgroup without a limit is a user of its own.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>

#include "core/hotmap.h"
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
 * A pass looks in vain at all pages of cgroups that have used their share. After a pass that met
 * such pages the next one begins after LOOK (ns), or after LOOK_REST times as long as the pass took
 * if that is longer. But it begins at the latest when the next second begins, because then there
 * are new shares.
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
	struct limit *limit;
	u64 key, now;

	spin_lock(&pghot_cgroups_lock);
	now = pghot_clock();
	limit = pghot_cgroups_find(pghot_memcg_cgroup(memcg), &key);
	if (limit && !limit->pages_per_s)
		verdict = BUDGET_NEVER;
	else if (limit && !limit_ask(limit, now))
		verdict = BUDGET_LIMIT;
	else if (!pghot_fair_ask(&shares, key, budget_ns(), now))
		verdict = pghot_fair_is_refused(&shares, key) ? BUDGET_CPU : BUDGET_CPU_NEW;
	spin_unlock(&pghot_cgroups_lock);
	pghot_memcg_put(memcg);
	return verdict;
}

/**
 * pghot_budget_refuse() - a page is not promoted for nothing but its cgroup's share
 * @folio: the folio, referenced by the caller; pghot_budget_ask() has said BUDGET_CPU_NEW
 *
 * Process context. The cgroup counts as wanting more than it has, so that it has a share of the
 * next second: only who has pages that may be promoted can use one.
 */
void pghot_budget_refuse(struct folio *folio)
{
	struct mem_cgroup *memcg = pghot_memcg_get(folio);
	u64 key;

	spin_lock(&pghot_cgroups_lock);
	pghot_cgroups_find(pghot_memcg_cgroup(memcg), &key);
	pghot_fair_refuse(&shares, key);
	spin_unlock(&pghot_cgroups_lock);
	pghot_memcg_put(memcg);
}

/**
 * pghot_budget_charge() - a look at a page has cost much
 * @folio: the folio, referenced by the caller
 * @cost: CPU time used, ns, which its memory cgroup has to pay for
 *
 * Process context.
 */
void pghot_budget_charge(struct folio *folio, u64 cost)
{
	struct mem_cgroup *memcg = pghot_memcg_get(folio);
	u64 key;

	spin_lock(&pghot_cgroups_lock);
	pghot_cgroups_find(pghot_memcg_cgroup(memcg), &key);
	pghot_fair_charge(&shares, key, cost);
	spin_unlock(&pghot_cgroups_lock);
	pghot_memcg_put(memcg);
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

/* How long a pass has to be followed by rest, ns, so that all take half of the budget. */
static u64 pass_rest_ns(u64 cost)
{
	unsigned int threads = max(nodes_weight(pghot_slow_nodes), 1) * pghot_hot_parts;
	unsigned int halves = 2 * threads;
	unsigned int percent = num_online_cpus() * pghot_tunable_get(&pghot_promote_cpu_percent);

	return share_rest_ns(cost, min(percent, 100 * halves), halves);
}

/**
 * pghot_budget_pass() - say what a pass of kmigrated has cost
 * @cost: CPU time used, ns
 * @charged: the part of it that cgroups were charged with
 * @refused: it met pages for which pghot_budget_ask() did not say BUDGET_GO or BUDGET_NEVER
 *
 * Process context.
 *
 * Return: how long to rest before the next one, ms.
 */
unsigned int pghot_budget_pass(u64 cost, u64 charged, bool refused)
{
	u64 rest = pass_rest_ns(cost), wait;

	spin_lock(&pghot_cgroups_lock);
	fair_overhead(&shares, cost - min(charged, cost));
	wait = pghot_fair_wait_ns(&shares, pghot_clock());
	spin_unlock(&pghot_cgroups_lock);
	if (refused)
		rest = max(rest, min(wait, max((u64)LOOK, LOOK_REST * cost)));
	return div_u64(rest + NSEC_PER_MSEC - 1, NSEC_PER_MSEC);
}
