// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Judging one ready page
 *
 * Nothing is known of the page but its number. Since it was recorded it may have been freed, and
 * be in use as something else. So it is referenced first. Then everything that could speak against
 * promoting it is asked. The order of the questions lets a page that cannot be promoted use up as
 * little as possible.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/nodestat.h"
#include "core/slow.h"
#include "policy/policy.h"
#include "promote/admit.h"
#include "promote/budget.h"
#include "promote/interleave.h"
#include "promote/judge.h"
#include "promote/refusal.h"
#include "promote/room.h"
#include "promote/target.h"
#include "promote/trace.h"
#include "testing/inject.h"
#include "wrapper/folio.h"

/* Each reason has a counter, and these are in the same order. */
#define SAME_PLACE(_reason)								\
	static_assert(NODE_STAT_REFUSED_##_reason - NODE_STAT_REFUSED_FULL ==		\
		      PGHOT_REFUSED_##_reason - PGHOT_REFUSED_FULL)

SAME_PLACE(FULL);
SAME_PLACE(DIRTY);
SAME_PLACE(PINNED);
SAME_PLACE(COLD);
SAME_PLACE(RATE);
SAME_PLACE(POLICY);
SAME_PLACE(SHARE);
SAME_PLACE(CGROUP);
SAME_PLACE(BOUNCE);
static_assert(PGHOT_REFUSED_FULL == 0 && PGHOT_NR_REFUSALS == PGHOT_REFUSED_BOUNCE + 1);

static void refuse(const struct candidate *c, const struct folio *folio,
		   enum pghot_refusal reason)
{
	pghot_nodestat_add(c->from, NODE_STAT_REFUSED_FULL + reason, folio_nr_pages(folio));
	trace_pghot_refuse(c->pfn, c->from, reason);
}

/* The questions. Each returns FATE_OPEN if the answer is yes. */

/* Is the page, as it is now, one that can be moved? */
static enum fate judge_state(struct candidate *c, struct folio *folio)
{
	c->from = pghot_folio_nid(folio);
	/* It was freed, and is in use again as something else. */
	if (folio_pfn(folio) != c->pfn || !pghot_is_slow(c->from))
		return FATE_DROP;
	if (!folio_test_lru(folio))
		return pghot_folio_may_be_lru(folio) ? FATE_WAIT : FATE_DROP;
	if (pghot_promoter_is_dirty(folio)) {
		refuse(c, folio, PGHOT_REFUSED_DIRTY);
		return FATE_WAIT;
	}
	/* This may last as long as a virtual machine runs. */
	if (pghot_folio_is_pinned(folio)) {
		refuse(c, folio, PGHOT_REFUSED_PINNED);
		return FATE_COOL;
	}
	return FATE_OPEN;
}

/* Do those who use the page allow it to be on another node? */
static enum fate judge_policy(struct judge *judge, struct candidate *c, struct folio *folio)
{
	int ret = pghot_allowed_ask(folio, &judge->allowed), home = judge->allowed.home;

	c->look_ns = judge->allowed.cost_ns;
	c->cpus = judge->allowed.cpus;
	/* Who has it mapped so often pays for the look, not all. */
	if (c->look_ns) {
		pghot_budget_charge(folio, c->look_ns);
		judge->findings.charged += c->look_ns;
		if (c->wants)
			pghot_budget_refuse(folio);
	}
	/* Somebody is changing the address space just now. */
	if (ret)
		return FATE_WAIT;
	if (!pghot_target_exists(&judge->allowed.nodes)) {
		refuse(c, folio, PGHOT_REFUSED_POLICY);
		return FATE_COOL;
	}
	/* Several nodes use it, or the others of its line, or no source could tell who does. */
	if (home != NUMA_NO_NODE && (c->shared || c->accessor == NUMA_NO_NODE)) {
		c->accessor = home;
		c->shared = false;
	}
	return FATE_OPEN;
}

/* Has it not just been demoted? */
static enum fate judge_bounce(struct candidate *c, struct folio *folio)
{
	if (!pghot_policy_holds(c->pfn))
		return FATE_OPEN;
	refuse(c, folio, PGHOT_REFUSED_BOUNCE);
	return FATE_DROP;
}

static enum fate refuse_share(struct judge *judge, const struct candidate *c,
			      const struct folio *folio)
{
	judge->findings.over_budget = true;
	refuse(c, folio, PGHOT_REFUSED_SHARE);
	return FATE_WAIT;
}

/*
 * May its control group have something promoted now? That is cheap to ask, so it comes before
 * the mappings.
 */
static enum fate judge_budget(struct judge *judge, struct candidate *c, struct folio *folio)
{
	switch (pghot_budget_ask(folio)) {
	case BUDGET_NEVER:
		refuse(c, folio, PGHOT_REFUSED_CGROUP);
		return FATE_DROP;
	case BUDGET_LIMIT:
		judge->findings.over_budget = true;
		refuse(c, folio, PGHOT_REFUSED_CGROUP);
		return FATE_WAIT;
	case BUDGET_CPU:
		return refuse_share(judge, c, folio);
	case BUDGET_CPU_NEW:
		c->wants = true;
		break;
	case BUDGET_GO:
		break;
	}
	return FATE_OPEN;
}

/* It may be promoted. Is its control group's share what it waits for? */
static enum fate judge_share(struct judge *judge, struct candidate *c, struct folio *folio)
{
	if (!c->wants)
		return FATE_OPEN;
	pghot_budget_refuse(folio);
	return refuse_share(judge, c, folio);
}

/* Which node has room for it? If one has, @c says which. */
static enum fate judge_target(struct judge *judge, struct candidate *c, struct folio *folio)
{
	int preferred = pghot_interleave_pick(judge->use, c->accessor, c->shared);
	unsigned int nr = folio_nr_pages(folio);

	pghot_interleave_note(judge->use, c->accessor);
	c->nid = pghot_target_pick(c->from, preferred, nr, &judge->allowed.nodes);
	if (c->nid == c->from)
		return FATE_DROP;
	if (c->nid == NUMA_NO_NODE) {
		/* If this page may not go everywhere, others may still find room. */
		judge->findings.no_room = nr == 1 && pghot_target_all_in(&judge->allowed.nodes);
		refuse(c, folio, PGHOT_REFUSED_FULL);
		return FATE_WAIT;
	}
	return FATE_OPEN;
}

static void note_spent(struct findings *findings, int nid)
{
	unsigned int next = pghot_admit_next_second(nid);

	if (nodes_empty(findings->spent) || (int)(next - findings->next_second) < 0)
		findings->next_second = next;
	node_set(nid, findings->spent);
}

/* Does its target take it in this second? */
static enum fate judge_rate(struct judge *judge, struct candidate *c, struct folio *folio)
{
	switch (pghot_admit(c->nid, folio_nr_pages(folio), c->age_ms, c->counted)) {
	case THROTTLE_COLD:
		refuse(c, folio, PGHOT_REFUSED_COLD);
		return FATE_COOL;
	case THROTTLE_RATE:
		note_spent(&judge->findings, c->nid);
		/* It is counted and traced once, however often it is looked at while it waits. */
		if (c->counted)
			return FATE_WAIT;
		refuse(c, folio, PGHOT_REFUSED_RATE);
		return FATE_WAIT_COUNTED;
	case THROTTLE_GO:
		break;
	}
	return FATE_OPEN;
}

/* @folio is referenced. */
static enum fate judge_folio(struct judge *judge, struct candidate *c, struct folio *folio)
{
	enum fate fate = judge_state(c, folio);

	if (fate == FATE_OPEN)
		fate = judge_bounce(c, folio);
	if (fate == FATE_OPEN)
		fate = judge_budget(judge, c, folio);
	if (fate == FATE_OPEN)
		fate = judge_policy(judge, c, folio);
	if (fate == FATE_OPEN)
		fate = judge_share(judge, c, folio);
	if (fate == FATE_OPEN)
		fate = judge_target(judge, c, folio);
	if (fate == FATE_OPEN)
		fate = judge_rate(judge, c, folio);
	if (fate != FATE_OPEN)
		return fate;

	if (!pghot_promoter_isolate(folio)) {
		pghot_admit_return(c->nid, folio_nr_pages(folio));
		return FATE_WAIT_COUNTED;
	}
	pghot_policy_promoted(c->pfn);
	/* Others follow. */
	if (pghot_policy_swaps())
		pghot_room_taken(c->nid, folio_nr_pages(folio));
	pghot_interleave_placed(judge->use, c->nid, folio_nr_pages(folio));
	return FATE_TAKEN;
}

/**
 * pghot_judge_page() - decide what becomes of a ready page, and take it for promotion if it may
 * @judge: the slow node's
 * @c: the page
 *
 * Process context, sleeps. A page that is taken is isolated and in a batch of the promoter.
 *
 * Return: what is to become of its record; never FATE_OPEN.
 */
enum fate pghot_judge_page(struct judge *judge, struct candidate *c)
{
	struct folio *folio = pghot_folio_get(c->pfn);
	enum fate fate;

	if (!folio)
		return FATE_DROP;
	fate = judge_folio(judge, c, folio);
	/*
	 * An isolated folio is held by the reference that its list had. With this reference
	 * besides, it could not be moved.
	 */
	folio_put(folio);
	if (fate == FATE_TAKEN)
		pghot_promoter_add(&judge->promoter, folio, c);
	return fate;
}

/**
 * pghot_judge_begin() - forget what the last pass has found, as far as it may be different now
 * @judge: the slow node's
 *
 * Process context. Targets whose second is not over yet stay without rate.
 */
void pghot_judge_begin(struct judge *judge)
{
	struct findings *findings = &judge->findings;

	findings->no_room = false;
	findings->over_budget = false;
	findings->charged = 0;
	if (!pghot_judge_rate_wait_ms(judge))
		nodes_clear(findings->spent);
}

/**
 * pghot_judge_rate_wait_ms() - how long until a target without rate may take pages again
 * @judge: the slow node's
 *
 * Any context.
 *
 * Return: ms, 0 if no target is without rate, or one is not any more.
 */
unsigned int pghot_judge_rate_wait_ms(const struct judge *judge)
{
	int wait = judge->findings.next_second - pghot_admit_now();

	return nodes_empty(judge->findings.spent) ? 0 : max(wait, 0);
}

/**
 * pghot_judge_rate_is_spent() - would the page go to a target without rate?
 * @judge: the slow node's
 * @c: the page, which is not looked at
 *
 * Any context. For pages that wait for the rate: looking at each would cost more. As
 * pghot_target_pick() would choose, if all nodes had room and were allowed.
 */
bool pghot_judge_rate_is_spent(const struct judge *judge, const struct candidate *c)
{
	int preferred = pghot_interleave_pick(judge->use, c->accessor, c->shared);
	int nid = pghot_target_first(judge->promoter.nid, preferred);

	return nid != NUMA_NO_NODE && node_isset(nid, judge->findings.spent);
}

/**
 * pghot_judge_all_rates_are_spent() - are all targets without rate?
 * @judge: the slow node's
 *
 * Any context.
 */
bool pghot_judge_all_rates_are_spent(const struct judge *judge)
{
	return pghot_target_all_in(&judge->findings.spent);
}

/**
 * pghot_judge_init() - get ready to judge the pages of a slow node
 * @judge: to be filled in; zero before
 * @nid: the node
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int pghot_judge_init(struct judge *judge, int nid)
{
	int ret;

	judge->use = inject_alloc(NULL, kzalloc(interleave_size(nr_node_ids), GFP_KERNEL));
	if (!judge->use)
		return -ENOMEM;
	pghot_interleave_init(judge->use, nr_node_ids);
	ret = pghot_promoter_init(&judge->promoter, nid);
	if (ret)
		kfree(judge->use);
	return ret;
}

/**
 * pghot_judge_exit() - judge no more
 * @judge: the slow node's; none of its pages is on its way
 */
void pghot_judge_exit(struct judge *judge)
{
	pghot_promoter_exit(&judge->promoter);
	kfree(judge->use);
}
