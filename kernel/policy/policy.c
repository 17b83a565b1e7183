// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The doors of the policy, for sources, promotion and administrators
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

#include "core/counter.h"
#include "core/part.h"
#include "core/slow.h"
#include "core/source.h"
#include "core/textfile.h"
#include "core/tunable.h"
#include "pghot.h"
#include "policy/policy.h"
#include "policy/verdict.h"
#include "policy/way.h"
#include "testing/inject.h"
#include "wrapper/placement.h"

#define CREATE_TRACE_POINTS
#include "policy/trace.h"

PGHOT_TUNABLE(scan_cpu_percent,
	      "What each source that scans may use of one CPU, 1 to 100 %. (50)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 1,
	      .max = BOTH_MODES(100),
	      .initial = BOTH_MODES(50));

/* Folios that were promoted soon after they had been demoted. */
PGHOT_COUNTER(bounced);

/* Page tables in a sample, at least: of a huge page, one entry is looked at. */
static const unsigned int sample_tables[POLICY_KINDS] = {
	[POLICY_SMALL] = 32,
	[POLICY_HUGE] = 512,
};

const char * const pghot_policy_verdicts[GAIN_VERDICTS] = {
	[GAIN_UNKNOWN] = "unknown: too few hot pages, or idle ones, have been found",
	[GAIN_FREE] = "promote: there is free memory on fast nodes",
	[GAIN_SWAP] = "swap: promoting hot pages pays for demoting idle ones",
	[GAIN_NONE] = "quiet: moving pages would not pay",
	[GAIN_NO_DEMOTION] = "quiet: fast nodes are full, and demotion_enabled is 0",
};

static struct policy *policy;
/* Protects all of it. */
static DEFINE_SPINLOCK(policy_lock);

static struct capacity capacity(void)
{
	struct capacity c = { };
	long fast = 0, slow = 0, mapped = 0;
	int nid;

	for_each_node_state(nid, N_MEMORY) {
		long free = pghot_placement_free(nid), here = pghot_placement_mapped(nid);

		mapped += here;
		c.huge += pghot_placement_huge(nid);
		if (pghot_is_slow(nid)) {
			slow += here;
			continue;
		}
		fast += max(here - (long)pghot_placement_locked(nid), 0l) + max(free, 0l);
		c.size = max(c.size, here + free);
		c.room[POLICY_SMALL] = max(c.room[POLICY_SMALL], free);
		c.room[POLICY_HUGE] = max(c.room[POLICY_HUGE],
					  min(free, pghot_placement_free_huge(nid)));
		c.demotes |= pghot_slow_target(nid) != NUMA_NO_NODE;
	}
	c.share = fast + slow ? div64_u64(1000ull * fast, fast + slow) : 1000;
	c.tables = mapped / PTRS_PER_PTE;
	return c;
}

/* The verdict about a kind was another one, perhaps. */
static void trace_change(enum policy_kind kind, enum gain_verdict was, bool demotes, u64 now)
{
	enum gain_verdict verdict = policy->kind[kind].verdict;
	struct gain_question q;

	if (verdict == was)
		return;
	q = verdict_question(policy, kind, demotes, now);
	trace_pghot_policy(kind, verdict, &q);
}

/**
 * pghot_policy_looked() - take note of what a look at some memory has found
 * @look: that
 *
 * Process context.
 */
void pghot_policy_looked(const struct policy_look *look)
{
	const struct kind_state *state = &policy->kind[look->kind];
	const struct capacity c = capacity();
	enum gain_verdict was;

	spin_lock(&policy_lock);
	was = state->verdict;
	verdict_after_look(policy, look, &c, pghot_tunable_get(&pghot_scan_cpu_percent),
			   pghot_clock());
	trace_change(look->kind, was, c.demotes, pghot_clock());
	trace_pghot_policy_look(look->kind, look->looked, look->used, look->found,
				state->window_us, policy->effort.percent);
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_seeks() - are hot folios of a kind to be reported?
 * @kind: the kind
 *
 * Any context.
 *
 * Return: whether it pays to promote them. Small ones also if the next sweep has to confirm that,
 * which may take long: they are known by then. Always true if the administrator has chosen the
 * sources.
 */
bool pghot_policy_seeks(enum policy_kind kind)
{
	const struct kind_state *state = &policy->kind[kind];

	return !pghot_way_is_auto() || verdict_promotes(READ_ONCE(state->verdict)) ||
	       (kind == POLICY_SMALL && verdict_promotes(READ_ONCE(state->finding)));
}

/**
 * pghot_policy_seeks_idle() - are idle folios of fast nodes to be reported?
 *
 * Any context.
 *
 * Return: whether they are demoted for hot ones, or will be if the next sweep confirms that.
 */
bool pghot_policy_seeks_idle(void)
{
	int kind;

	for (kind = 0; kind < POLICY_KINDS; kind++)
		if (READ_ONCE(policy->kind[kind].finding) == GAIN_SWAP)
			return pghot_way_is_auto();
	return pghot_policy_swaps();
}

/**
 * pghot_policy_swaps() - are idle pages demoted for hot ones now?
 *
 * Any context.
 */
bool pghot_policy_swaps(void)
{
	int kind;

	for (kind = 0; kind < POLICY_KINDS; kind++)
		if (READ_ONCE(policy->kind[kind].verdict) == GAIN_SWAP)
			return pghot_way_is_auto();
	return false;
}

/**
 * pghot_policy_splits() - are huge pages to be split, as small ones tell more?
 * @slow: those of slow nodes that are used in all windows, and not those of fast nodes
 *
 * Any context.
 */
bool pghot_policy_splits(bool slow)
{
	return READ_ONCE(policy->splits[slow]) && pghot_way_is_auto();
}

/**
 * pghot_policy_window_us() - how long to wait for a folio to be used
 * @kind: its kind
 *
 * Any context.
 *
 * Return: us.
 */
unsigned int pghot_policy_window_us(enum policy_kind kind)
{
	return READ_ONCE(policy->kind[kind].window_us);
}

/**
 * pghot_policy_percent() - how much CPU time to look at memory with
 *
 * Any context.
 *
 * Return: % of one CPU.
 */
unsigned int pghot_policy_percent(void)
{
	return READ_ONCE(policy->effort.percent);
}

/**
 * pghot_policy_stride() - how much of the memory to look at
 * @kind: for folios of this kind
 *
 * Any context.
 *
 * Return: one page table in so many, a power of two.
 */
unsigned int pghot_policy_stride(enum policy_kind kind)
{
	if (!effort_is_sample(&policy->effort))
		return 1;
	return effort_stride(READ_ONCE(policy->tables), sample_tables[kind]);
}

/**
 * pghot_policy_is_eager() - is a folio of a slow node hot as soon as it is used for a second time?
 * @kind: its kind
 *
 * Any context. Else it has to be used in all windows.
 */
bool pghot_policy_is_eager(enum policy_kind kind)
{
	return READ_ONCE(policy->kind[kind].eager) && pghot_way_is_auto();
}

/**
 * pghot_policy_accessed() - say how long accesses to memory have taken
 * @slow: to slow nodes, and not to fast ones
 * @reads: how many these are
 * @ns: time of all of them, ns
 *
 * Process context.
 */
void pghot_policy_accessed(bool slow, unsigned int reads, u64 ns)
{
	spin_lock(&policy_lock);
	latency_add(&policy->access[slow], reads, ns);
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_wake() - there is memory on slow nodes that was not there before
 *
 * Process context. All effort is made for it.
 */
void pghot_policy_wake(void)
{
	const struct capacity c = capacity();

	spin_lock(&policy_lock);
	verdict_wake(policy, &c, pghot_tunable_get(&pghot_scan_cpu_percent));
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_moving() - say that folios are about to be moved
 * @kind: what most of them are
 *
 * Process context. pghot_policy_moved() has to follow.
 */
void pghot_policy_moving(enum policy_kind kind)
{
	spin_lock(&policy_lock);
	policy->kind[kind].moving++;
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_moved() - say what moving folios has cost
 * @kind: what most of them were
 * @nr_pages: base pages that were moved
 * @cost_ns: CPU time, ns
 *
 * Process context, after pghot_policy_moving().
 */
void pghot_policy_moved(enum policy_kind kind, unsigned int nr_pages, u64 cost_ns)
{
	spin_lock(&policy_lock);
	verdict_moved(policy, kind, nr_pages, cost_ns, pghot_clock());
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_is_disturbed() - can it not be told which folios of a kind are idle?
 * @kind: the kind
 * @since: when it was begun to look, by pghot_clock()
 *
 * Process context.
 *
 * Return: whether hot ones and idle ones have changed places since then, or do so now. Their users
 * wait for the copies, and all that they use looks idle meanwhile.
 */
bool pghot_policy_is_disturbed(enum policy_kind kind, u64 since)
{
	bool disturbed;

	spin_lock(&policy_lock);
	disturbed = verdict_is_disturbed(&policy->kind[kind], since);
	spin_unlock(&policy_lock);
	return disturbed && pghot_way_is_auto();
}

/**
 * pghot_policy_room_made() - say what has become of room that was made
 * @made: base pages that were demoted, at least 1
 * @taken: of these, what others than promotion took
 *
 * Process context.
 */
void pghot_policy_room_made(long made, long taken)
{
	enum gain_verdict was[POLICY_KINDS];
	u64 now = pghot_clock();
	int kind;

	spin_lock(&policy_lock);
	for (kind = 0; kind < POLICY_KINDS; kind++)
		was[kind] = policy->kind[kind].verdict;
	verdict_room_made(policy, made, taken, now);
	for (kind = 0; kind < POLICY_KINDS; kind++)
		trace_change(kind, was[kind], true, now);
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_demoted() - remember a folio that is demoted
 * @pfn: where it goes
 *
 * Process context.
 */
void pghot_policy_demoted(unsigned long pfn)
{
	spin_lock(&policy_lock);
	bounce_demoted(&policy->bounce, pfn, pghot_clock());
	spin_unlock(&policy_lock);
}

/**
 * pghot_policy_holds() - is a hot folio to be held back, as it was demoted just before?
 * @pfn: its first page
 *
 * Process context.
 */
bool pghot_policy_holds(unsigned long pfn)
{
	bool holds;

	spin_lock(&policy_lock);
	holds = bounce_holds(&policy->bounce, pfn, pghot_clock());
	spin_unlock(&policy_lock);
	return holds;
}

/**
 * pghot_policy_promoted() - say that a folio is promoted
 * @pfn: where it was
 *
 * Process context.
 */
void pghot_policy_promoted(unsigned long pfn)
{
	spin_lock(&policy_lock);
	if (bounce_promoted(&policy->bounce, pfn, pghot_clock()))
		pghot_count(bounced, 1);
	spin_unlock(&policy_lock);
}

static ssize_t state_show(char *buf)
{
	static const char * const kinds[POLICY_KINDS] = { "small", "huge" };
	ssize_t len = 0;
	int kind;

	spin_lock(&policy_lock);
	for (kind = 0; kind < POLICY_KINDS; kind++) {
		const struct kind_state *state = &policy->kind[kind];

		len += sysfs_emit_at(buf, len, "%s: %s\n", kinds[kind],
				     pghot_policy_verdicts[state->verdict]);
		len += sysfs_emit_at(buf, len,
				     "%s: hot %llu, idle %llu uses in 1000 s, moving costs %llu ns, window %u us\n",
				     kinds[kind], rate_per_1000s(&state->hot),
				     rate_per_1000s(&state->cold), gain_cost_ns(&state->cost),
				     state->window_us);
	}
	len += sysfs_emit_at(buf, len, "access: fast %u ns, slow %u ns\n",
			     latency_ns(&policy->access[false]), latency_ns(&policy->access[true]));
	len += sysfs_emit_at(buf, len, "effort: %u %% of a CPU, %s\n", policy->effort.percent,
			     effort_is_sample(&policy->effort) ? "a sample" : "all memory");
	len += sysfs_emit_at(buf, len, "bar: %u\n", policy->bounce.bar);
	len += sysfs_emit_at(buf, len, "price: %u\n", price_get(&policy->price, pghot_clock()));
	spin_unlock(&policy_lock);
	return len;
}

/* What the policy has decided, and why. */
static const struct textfile state_file = {
	.name = "policy_state",
	.mode = 0444,
	.show = state_show,
};

static struct pghot_part policy_part = {
	.tunables = TUNABLES(&pghot_scan_cpu_percent),
	.counters = COUNTERS(COUNTER(bounced)),
	.events = EVENTS(EVENT(pghot_policy), EVENT(pghot_policy_look)),
	.files = TEXTFILES(&pghot_way_file, &state_file),
};

/**
 * pghot_policy_register() - have the policy's tunables, counters and files shown
 *
 * Process context, while the module loads.
 */
void pghot_policy_register(void)
{
	pghot_part_register(&policy_part);
	pghot_sources_on_choice(pghot_way_by_hand);
}

/**
 * pghot_policy_init() - make the state
 *
 * Process context, sleeps. The tunables have their values.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_policy_init(void)
{
	policy = inject_alloc(NULL, kvzalloc(sizeof(*policy), GFP_KERNEL));
	if (!policy)
		return -ENOMEM;
	verdict_init(policy, HPAGE_PMD_NR, pghot_tunable_get(&pghot_scan_cpu_percent));
	return 0;
}

/**
 * pghot_policy_exit() - free the state
 *
 * Process context, sleeps. Neither sources nor promotion run any more.
 */
void pghot_policy_exit(void)
{
	kvfree(policy);
}

