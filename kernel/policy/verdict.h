/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How the policy comes to its verdicts
 *
 * Looks add up to a sweep, which is a look at all folios of a kind, or at a sample of them. Each
 * sweep that ends says how hot the hot folios of slow nodes are, and how idle the idle ones of
 * fast nodes. From that follows whether promoting pays, and how long the next windows are.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_VERDICT_H
#define PGHOT_POLICY_VERDICT_H

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "policy/bounce.h"
#include "policy/effort.h"
#include "policy/gain.h"
#include "policy/kind.h"
#include "policy/latency.h"
#include "policy/look.h"
#include "policy/price.h"
#include "policy/rate.h"
#include "policy/window.h"

/*
 * Free pages above the watermarks from which on a fast node has room, and below which not. What
 * demotion makes free ahead of promotion is less (promote/room.c).
 */
#define ROOM_ENOUGH	4096l
#define ROOM_SHORT	512l
/*
 * If pages may be demoted, free memory is plenty for small pages from this part of a fast node on.
 * Less is taken by swaps, too, so it is first asked whether these pay. It is not worth an effort by
 * itself. Huge pages are found at next to no effort.
 */
#define ROOM_PART	8

/*
 * A part of memory tells alone whether a swap pays if so many hot and so many idle folios were in
 * it, and if so many parts say so, one after the other.
 */
#define PART_FOLIOS	256u
#define PARTS		2u

/*
 * Of so many huge pages a rate may never become known, as it takes RATE_PAGES_MIN hot ones and as
 * many idle ones. If there are more of them, none is split.
 */
#define SPLIT_HUGE_MAX	64u

/* Base pages that are moved during a sweep and change what it finds. */
#define MOVED_MANY	1024u

/* A rate that is so many times the last one is of another time. */
#define RATE_OTHER_TIME	2u

/* In this time a rate fades that nothing is told against, ns. */
#define FADE_NS		NSEC_PER_SEC

/* What moving a base page costs, until it was measured: by itself, or in a huge page, ns. */
#define COST_SMALL	10000u
#define COST_HUGE	3000u

/* Huge pages are used far more often than small ones, as they are larger. */
static const struct window_limits verdict_windows[POLICY_KINDS] = {
	[POLICY_SMALL] = { .min_us = 2000, .max_us = 64000, .initial_us = 10000 },
	[POLICY_HUGE] = { .min_us = 20, .max_us = 16000, .initial_us = 1000 },
};

/**
 * struct kind_state - what is known of one kind of folios
 * @pages: base pages of a folio
 * @sweep: what the sweep on its way has found
 * @swept: when the last sweep ended, by pghot_clock()
 * @parts: the last so many of its parts that could tell have spoken for a swap
 * @hot: hot folios of slow nodes in the last sweep; while a sample is looked at, in some of them
 * @cold: idle folios of fast nodes, likewise
 * @hot_since: since when there have been hot folios, by pghot_clock(); 0 if there are none
 * @hot_seen: when there were some for the last time
 * @cost: what moving them has cost
 * @room: fast nodes have plenty of free memory for such folios
 * @finding: what the last sweep speaks for
 * @verdict: what is done with hot ones
 * @eager: they are hot as soon as they are used for a second time
 * @window_us: the window
 * @moving: threads that move folios of this kind
 * @moved: when one of them has ended for the last time, by pghot_clock()
 */
struct kind_state {
	unsigned int pages;
	struct policy_look sweep;
	u64 swept;
	unsigned int parts;
	struct rate_sample hot;
	struct rate_sample cold;
	u64 hot_since;
	u64 hot_seen;
	struct gain_cost cost;
	bool room;
	enum gain_verdict finding;
	enum gain_verdict verdict;
	bool eager;
	unsigned int window_us;
	unsigned int moving;
	u64 moved;
};

/**
 * struct policy - what the policy knows
 * @kind: by kind of folio
 * @tables: page tables that all mapped memory needs
 * @access: what accesses take, by whether to slow nodes
 * @effort: how much is looked at
 * @bounce: the last demotions
 * @price: how many pages go down for one that comes up
 * @splits: huge pages are to be split, by whether of slow nodes
 */
struct policy {
	struct kind_state kind[POLICY_KINDS];
	unsigned long tables;
	struct latency access[2];
	struct effort effort;
	struct bounce bounce;
	struct price price;
	bool splits[2];
};

/**
 * struct capacity - what fast nodes can take
 * @room: free memory of the node with the most, by kind of folio, base pages
 * @size: what the largest fast node holds for programs, base pages
 * @demotes: some node demotes
 * @share: how many of 1000 mapped pages fast nodes could hold
 * @tables: page tables that all mapped memory needs
 * @huge: memory in huge pages, of all nodes, base pages
 */
struct capacity {
	long room[POLICY_KINDS];
	long size;
	bool demotes;
	unsigned int share;
	unsigned long tables;
	unsigned long huge;
};

/**
 * verdict_init() - nothing is known yet
 * @policy: zeroed, to be filled in
 * @huge_pages: base pages of a huge page
 * @percent: CPU time to look at memory with, % of one CPU
 */
static inline void verdict_init(struct policy *policy, unsigned int huge_pages,
				unsigned int percent)
{
	int kind;

	policy->kind[POLICY_SMALL].pages = 1;
	policy->kind[POLICY_HUGE].pages = huge_pages;
	gain_cost_init(&policy->kind[POLICY_SMALL].cost, COST_SMALL);
	gain_cost_init(&policy->kind[POLICY_HUGE].cost, COST_HUGE);
	for (kind = 0; kind < POLICY_KINDS; kind++)
		policy->kind[kind].window_us = verdict_windows[kind].initial_us;
	bounce_init(&policy->bounce);
	policy->effort.percent = percent;
}

/**
 * verdict_promotes() - are hot folios promoted?
 * @verdict: what is done with them
 */
static inline bool verdict_promotes(enum gain_verdict verdict)
{
	return verdict == GAIN_FREE || verdict == GAIN_SWAP;
}

/*
 * The rate of a base page among idle folios of fast nodes that can make room for this kind: huge
 * pages for all, and small ones for small ones. Of the kind that is used less.
 */
static inline bool verdict_cold_rate(const struct policy *policy, enum policy_kind kind, u64 *rate)
{
	int other;

	*rate = U64_MAX;
	for (other = kind; other < POLICY_KINDS; other++) {
		const struct kind_state *state = &policy->kind[other];

		if (rate_is_known(&state->cold))
			*rate = min(*rate, rate_per_1000s(&state->cold) / state->pages);
	}
	return *rate != U64_MAX;
}

/**
 * verdict_question() - what is asked of a kind of folios
 * @policy: what is known
 * @kind: the kind
 * @demotes: pages may be demoted
 * @now: pghot_clock()
 */
static inline struct gain_question verdict_question(struct policy *policy, enum policy_kind kind,
						    bool demotes, u64 now)
{
	const struct kind_state *state = &policy->kind[kind];
	u64 cold;

	return (struct gain_question){
		.hot = rate_per_1000s(&state->hot),
		.cold = verdict_cold_rate(policy, kind, &cold) ? cold : 0,
		.pages = state->pages,
		.cost_ns = gain_cost_ns(&state->cost),
		.access_ns = latency_gap_ns(&policy->access[false], &policy->access[true]),
		.horizon_ms = gain_horizon_ms(state->hot_since ? now - state->hot_since : 0),
		.bar = bounce_bar(&policy->bounce, now),
		.price = price_get(&policy->price, now),
		.room = state->room ? GAIN_ROOM_PLENTY : GAIN_ROOM_NONE,
		.demotes = demotes,
	};
}

/* Have there been hot folios just now? A sweep may meet none of them by chance. */
static inline bool verdict_knew_hot(const struct kind_state *state, u64 now)
{
	return state->hot_since && now - state->hot_seen <= GAIN_HORIZON_MIN * NSEC_PER_MSEC;
}

/* What the rates of a kind speak for. */
static inline enum gain_verdict verdict_find(const struct policy *policy, enum policy_kind kind,
					     const struct gain_question *q, u64 now)
{
	const struct kind_state *state = &policy->kind[kind];
	u64 cold;

	if (!rate_is_known(&state->hot))
		return q->room && state->verdict == GAIN_FREE && verdict_knew_hot(state, now) ?
		       GAIN_FREE : GAIN_UNKNOWN;
	if (!q->room && q->demotes && !verdict_cold_rate(policy, kind, &cold))
		return GAIN_UNKNOWN;
	return gain_decide(q);
}

/*
 * Does another sweep have to say the same? One that speaks for a swap: if much begins, or ends,
 * during it, its hot pages are of another time than its idle ones. And one that speaks for an end,
 * if many pages were moved during it: their users waited, and have used less.
 */
static inline bool verdict_needs_confirming(const struct policy *policy, enum gain_verdict verdict,
					    enum gain_verdict finding)
{
	if (finding == GAIN_SWAP)
		return verdict != GAIN_SWAP;
	return verdict_promotes(verdict) && !verdict_promotes(finding) &&
	       policy->effort.moved >= MOVED_MANY;
}

/* Is so much memory free for folios of a kind that it is worth all effort? */
static inline bool verdict_finds_room(const struct capacity *c, enum policy_kind kind)
{
	long plenty = kind == POLICY_SMALL && c->demotes ? c->size / ROOM_PART : 0;

	return c->room[kind] >= max(ROOM_ENOUGH, plenty);
}

/* Plenty of free memory that is being promoted into counts until it is used up. */
static inline bool verdict_has_room(const struct policy *policy, const struct capacity *c,
				    enum policy_kind kind)
{
	const struct kind_state *state = &policy->kind[kind];

	if (state->room && state->verdict == GAIN_FREE)
		return c->room[kind] >= ROOM_SHORT;
	return verdict_finds_room(c, kind);
}

/* Returns whether promoting pays now, as it did not before. */
static inline bool verdict_decide(struct policy *policy, enum policy_kind kind,
				  const struct capacity *c, u64 now)
{
	struct kind_state *state = &policy->kind[kind];
	enum gain_verdict was = state->verdict, finding;
	struct gain_question q;

	state->room = verdict_has_room(policy, c, kind);
	q = verdict_question(policy, kind, c->demotes, now);
	finding = verdict_find(policy, kind, &q, now);
	/* Swaps do not pay. So what is free is used, if it is not too little. */
	if (!verdict_promotes(finding) && !q.room &&
	    c->room[kind] >= (was == GAIN_FREE ? ROOM_SHORT : ROOM_ENOUGH)) {
		q.room = GAIN_ROOM_LITTLE;
		finding = verdict_find(policy, kind, &q, now);
	}
	if (finding == state->finding || !verdict_needs_confirming(policy, was, finding))
		WRITE_ONCE(state->verdict, finding);
	WRITE_ONCE(state->finding, finding);
	WRITE_ONCE(state->eager, gain_is_eager(&q, state->verdict));
	return verdict_promotes(finding) && !verdict_promotes(was);
}

static inline void verdict_sample_add(struct rate_sample *sum, const struct rate_sample *more)
{
	sum->looked += more->looked;
	sum->idle += more->idle;
	sum->uses += more->uses;
	sum->window_ns += more->window_ns;
}

/*
 * What a sweep has found takes the place of what the last one has; a sample adds to it. But a far
 * higher rate is of another time: a program that slept has begun to work, say. If idle pages of
 * before were counted as well, those of fast nodes would look less used than they are.
 * A lower rate tells nothing against the last one in two cases, which fades instead. If all pages
 * were used, the rate is only known to be at least so high, and that depends on how long the window
 * has really been. And while huge pages are moved their users wait for long, and use less.
 */
static inline void verdict_renew(struct rate_sample *sample, const struct rate_sample *found,
				 bool adds, bool moved, u64 ns)
{
	struct rate_sample was = *sample, faded = *sample;

	faded.uses -= div64_u64(faded.uses * (min_t(u64, ns, FADE_NS) >> 20), FADE_NS >> 20);
	if ((moved || (rate_is_known(found) && !found->idle)) &&
	    rate_per_1000s(found) < rate_per_1000s(&faded)) {
		*sample = faded;
		return;
	}
	*sample = *found;
	if (adds && rate_per_1000s(found) <= RATE_OTHER_TIME * rate_per_1000s(&was))
		verdict_sample_add(sample, &(struct rate_sample){
			.looked = was.looked / 2,
			.idle = was.idle / 2,
			.uses = was.uses / 2,
			.window_ns = was.window_ns / 2,
		});
}

/*
 * Folios that are hot as soon as they are used for a second time may be promoted before the last
 * window is over. Then no rate has them. If all have gone, so much is known: they were used in each
 * of two windows.
 */
static inline void verdict_count_found(struct kind_state *state)
{
	u64 found = state->sweep.found / state->pages;

	if (!rate_is_known(&state->sweep.hot) && found >= RATE_PAGES_MIN)
		state->sweep.hot = rate_once(found, state->window_us * NSEC_PER_USEC);
}

static inline void verdict_note_hot(struct kind_state *state, u64 now)
{
	if (rate_is_known(&state->hot)) {
		state->hot_seen = now;
		if (!state->hot_since)
			state->hot_since = now;
	} else if (!verdict_knew_hot(state, now)) {
		state->hot_since = 0;
	}
}

/**
 * verdict_moved() - a thread has moved folios
 * @policy: what is known
 * @kind: what most of them were
 * @nr_pages: base pages that were moved
 * @cost_ns: CPU time that it took, ns
 * @now: pghot_clock()
 *
 * Huge pages are copied as fast as the link to the slow node can carry them. So of several threads
 * that copy some, each takes that many times as long as it would alone.
 */
static inline void verdict_moved(struct policy *policy, enum policy_kind kind,
				 unsigned int nr_pages, u64 cost_ns, u64 now)
{
	struct kind_state *state = &policy->kind[kind];
	unsigned int threads = state->moving--;

	if (!nr_pages)
		return;
	state->moved = now;
	policy->effort.moved += nr_pages;
	gain_cost_add(&state->cost, nr_pages,
		      kind == POLICY_HUGE ? div_u64(cost_ns, threads) : cost_ns);
}

/**
 * verdict_is_disturbed() - do folios of a kind change places, or have they done so?
 * @state: what is known of the kind
 * @since: since then, by pghot_clock()
 */
static inline bool verdict_is_disturbed(const struct kind_state *state, u64 since)
{
	return state->verdict == GAIN_SWAP && (state->moving || state->moved > since);
}

/* The window of the next sweep, by what this one has found. */
static inline unsigned int verdict_next_window(struct policy *policy, enum policy_kind kind,
					       const struct capacity *c, u64 now)
{
	const struct kind_state *state = &policy->kind[kind];
	const struct window_limits *limits = &verdict_windows[kind];
	struct gain_question q = verdict_question(policy, kind, c->demotes, now);

	if (q.room && rate_is_known(&state->hot))
		return window_of_rate(limits, q.hot, gain_enough(&q));
	/* The bar is higher as idle pages were not idle: a shorter window would tell even less. */
	q.bar = 1;
	q.price = 1;
	return window_fit(limits, state->window_us, state->sweep.looked, state->sweep.used,
			  c->share, q.room ? gain_enough(&q) : gain_need(&q));
}

/*
 * A rate is that of many folios. Of a few huge pages it never becomes known. Their base pages are
 * many, and tell what is hot within a huge page, too. Where there is room nothing has to be told
 * apart. Those of fast nodes are left as they are unless small ones are hot, and wait for room or
 * for something that they can be compared with.
 */
static inline void verdict_choose_splits(struct policy *policy, const struct capacity *c)
{
	const struct kind_state *huge = &policy->kind[POLICY_HUGE];
	const struct kind_state *small = &policy->kind[POLICY_SMALL];
	bool few = c->demotes && !huge->room && huge->finding == GAIN_UNKNOWN &&
		   c->huge <= SPLIT_HUGE_MAX * huge->pages;
	u64 cold;

	WRITE_ONCE(policy->splits[true], few);
	few &= small->verdict == GAIN_SWAP ||
	       (rate_is_known(&small->hot) && !verdict_cold_rate(policy, POLICY_SMALL, &cold));
	WRITE_ONCE(policy->splits[false], few);
}

/* All folios of a kind, or a sample of them, have been looked at. Returns as verdict_decide(). */
static inline bool verdict_end_sweep(struct policy *policy, enum policy_kind kind,
				     const struct capacity *c, u64 now)
{
	struct kind_state *state = &policy->kind[kind];
	bool is_sample = effort_is_sample(&policy->effort);
	/* A sweep of huge pages may be shorter than moving a single one. */
	bool moved = kind == POLICY_HUGE &&
		     (state->moving || state->moved > state->swept);
	u64 ns = now - state->swept;
	bool better;

	verdict_count_found(state);
	verdict_renew(&state->hot, &state->sweep.hot, is_sample, moved, ns);
	verdict_renew(&state->cold, &state->sweep.cold, is_sample, moved, ns);
	state->swept = now;
	verdict_note_hot(state, now);
	WRITE_ONCE(policy->tables, c->tables);
	better = verdict_decide(policy, kind, c, now);
	if (kind == POLICY_HUGE)
		verdict_choose_splits(policy, c);
	WRITE_ONCE(state->window_us, verdict_next_window(policy, kind, c, now));
	state->sweep = (struct policy_look){ };
	state->parts = 0;
	return better;
}

/*
 * Where there is free memory, nobody has to be waited for until a sweep is over. Returns as
 * verdict_decide().
 */
static inline bool verdict_decide_early(struct policy *policy, enum policy_kind kind,
					const struct capacity *c, u64 now)
{
	struct kind_state *state = &policy->kind[kind];

	if (state->verdict != GAIN_UNKNOWN || !rate_is_known(&state->sweep.hot) ||
	    !verdict_finds_room(c, kind))
		return false;
	state->hot = state->sweep.hot;
	verdict_note_hot(state, now);
	return verdict_decide(policy, kind, c, now);
}

/*
 * Where fast memory is full, a sweep of all memory that finds no swap so far need not end, either:
 * the hot and the idle folios of one look are of the same time, so that two looks are enough, or
 * one and then the sweep as a whole. Returns as verdict_decide().
 */
static inline bool verdict_decide_by_parts(struct policy *policy, const struct policy_look *look,
					   const struct capacity *c, u64 now)
{
	struct kind_state *state = &policy->kind[look->kind];
	struct gain_question q;

	if (verdict_promotes(state->verdict) || effort_is_sample(&policy->effort) ||
	    verdict_has_room(policy, c, look->kind) ||
	    look->hot.looked < PART_FOLIOS || look->cold.looked < PART_FOLIOS)
		return false;
	q = verdict_question(policy, look->kind, c->demotes, now);
	q.hot = rate_per_1000s(&look->hot);
	q.cold = rate_per_1000s(&look->cold) / state->pages;
	q.room = GAIN_ROOM_NONE;
	if (gain_decide(&q) != GAIN_SWAP) {
		state->parts = 0;
		return false;
	}
	state->hot = look->hot;
	state->cold = look->cold;
	verdict_note_hot(state, now);
	WRITE_ONCE(state->finding, GAIN_SWAP);
	if (++state->parts < PARTS)
		return false;
	WRITE_ONCE(state->verdict, GAIN_SWAP);
	WRITE_ONCE(state->eager, gain_is_eager(&q, GAIN_SWAP));
	return true;
}

/*
 * With the least effort a sweep of huge pages may take half a second, and the next one has to
 * confirm what it finds. Does a swap seem to pay, by the hot ones that this one has found so far?
 * If it turns out that it does not, it takes some sweeps until the effort is the least again. So
 * this costs little where it happens all the time.
 * Small folios are not hurried: less than a sample tells too little of them. Where all were used
 * alike, that led to swaps in vain.
 */
static inline bool verdict_suspects_swap(struct policy *policy, enum policy_kind kind,
					 const struct capacity *c, u64 now)
{
	const struct kind_state *state = &policy->kind[kind];
	struct gain_question q;
	u64 cold;

	if (kind != POLICY_HUGE || policy->effort.percent > EFFORT_MIN ||
	    verdict_promotes(state->verdict) || !rate_is_known(&state->sweep.hot) ||
	    !verdict_cold_rate(policy, kind, &cold))
		return false;
	q = verdict_question(policy, kind, c->demotes, now);
	q.hot = rate_per_1000s(&state->sweep.hot);
	q.room = GAIN_ROOM_NONE;
	return gain_decide(&q) == GAIN_SWAP;
}

/* Does a sweep of huge pages have to confirm that a swap pays? */
static inline bool verdict_is_awaited(const struct policy *policy)
{
	const struct kind_state *huge = &policy->kind[POLICY_HUGE];

	return huge->finding == GAIN_SWAP && huge->verdict != GAIN_SWAP;
}

/**
 * verdict_room_made() - it is known what has become of room that was made
 * @policy: what is known
 * @made: base pages that were demoted, at least 1
 * @taken: of these, what others took
 * @now: pghot_clock()
 *
 * A swap that does not pay at this price ends at once, and not with the next sweep. If others took
 * less than a half, the price says nothing against it. What moving costs is for sweeps to judge.
 */
static inline void verdict_room_made(struct policy *policy, long made, long taken, u64 now)
{
	int kind;

	price_set(&policy->price, made, taken, now);
	if (policy->price.pages == 1)
		return;
	for (kind = 0; kind < POLICY_KINDS; kind++) {
		struct kind_state *state = &policy->kind[kind];
		struct gain_question q = verdict_question(policy, kind, true, now);

		if (state->verdict != GAIN_SWAP || !rate_is_known(&state->hot) ||
		    gain_decide(&q) == GAIN_SWAP)
			continue;
		WRITE_ONCE(state->verdict, GAIN_NONE);
		WRITE_ONCE(state->finding, GAIN_NONE);
		WRITE_ONCE(state->eager, false);
	}
}

/**
 * verdict_reset_windows() - what is hot now need not be what the windows were fitted to
 * @policy: what is known
 *
 * Where free memory is promoted into, they were fitted to what was found to be hot just now.
 */
static inline void verdict_reset_windows(struct policy *policy)
{
	int kind;

	for (kind = 0; kind < POLICY_KINDS; kind++) {
		struct kind_state *state = &policy->kind[kind];

		if (state->verdict != GAIN_FREE)
			WRITE_ONCE(state->window_us,
				   min(state->window_us, verdict_windows[kind].initial_us));
	}
}

/**
 * verdict_wake() - there is memory that nothing is known of
 * @policy: what is known of other memory
 * @c: what fast nodes can take
 * @percent: CPU time to look at it with, % of one CPU
 */
static inline void verdict_wake(struct policy *policy, const struct capacity *c,
				unsigned int percent)
{
	/* Where there is free memory, the first hot pages that are found are promoted at once. */
	bool room = verdict_finds_room(c, POLICY_SMALL);

	effort_restart(&policy->effort, percent, !room);
	WRITE_ONCE(policy->tables, c->tables);
	verdict_reset_windows(policy);
}

/*
 * Free memory that was promoted into is used up. Whether it pays to go on with swaps is another
 * question, which a sample answers.
 */
static inline void verdict_end_room(struct policy *policy, struct kind_state *state,
				    unsigned int most)
{
	state->room = false;
	WRITE_ONCE(state->verdict, GAIN_UNKNOWN);
	WRITE_ONCE(state->finding, GAIN_UNKNOWN);
	WRITE_ONCE(state->eager, false);
	state->sweep = (struct policy_look){ };
	effort_restart(&policy->effort, most, true);
	policy->effort.modest = true;
}

/**
 * verdict_after_look() - some memory has been looked at
 * @policy: what is known; the verdict and the window of the kind, and the effort, are new then
 * @look: what was found
 * @c: what fast nodes can take
 * @most: CPU time that is allowed to look at memory with, % of one CPU
 * @now: pghot_clock()
 */
static inline void verdict_after_look(struct policy *policy, const struct policy_look *look,
				      const struct capacity *c, unsigned int most, u64 now)
{
	struct kind_state *state = &policy->kind[look->kind];
	bool was_sample = effort_is_sample(&policy->effort), better;
	bool was_quiet = policy->effort.percent < EFFORT_SAMPLE || policy->effort.modest;
	struct gain_question q;

	if (state->verdict == GAIN_FREE && c->room[look->kind] < ROOM_SHORT) {
		verdict_end_room(policy, state, most);
		return;
	}
	verdict_sample_add(&state->sweep.hot, &look->hot);
	verdict_sample_add(&state->sweep.cold, &look->cold);
	state->sweep.looked += look->looked;
	state->sweep.used += look->used;
	state->sweep.found += look->found;
	better = look->sweep_ended ? verdict_end_sweep(policy, look->kind, c, now) :
				     verdict_decide_early(policy, look->kind, c, now) ||
				     verdict_decide_by_parts(policy, look, c, now);
	q = verdict_question(policy, look->kind, true, now);
	/* Small folios do not end the effort that a sweep of huge pages still waits for. */
	effort_after_look(&policy->effort, look->found * gain_page_ns(&q), look->cpu_ns,
			  look->sweep_ended && look->kind == POLICY_SMALL &&
			  !verdict_is_awaited(policy), most);
	/*
	 * What is promoted from now on is worth all that is allowed, until it is known. What has
	 * to be confirmed is so by a sample. If that says something else, it was nothing.
	 */
	if (better && (state->room || state->finding == GAIN_SWAP)) {
		effort_set(&policy->effort, most);
		WRITE_ONCE(policy->effort.scout, !verdict_promotes(state->verdict));
		policy->effort.modest = was_quiet && policy->effort.scout;
	} else if (verdict_suspects_swap(policy, look->kind, c, now)) {
		effort_hurry(&policy->effort, most);
	}
	if (was_sample && !effort_is_sample(&policy->effort))
		verdict_reset_windows(policy);
}

#endif /* PGHOT_POLICY_VERDICT_H */
