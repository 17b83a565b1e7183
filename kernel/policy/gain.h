/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Does it pay to promote?
 *
 * A page that is used r times a second gains r times the difference between the latencies of
 * slow and fast memory for as long as it stays hot. To move it costs CPU time, once. Where fast
 * memory is full another page has to go down for it, or several, if others take a part of their
 * room. So that costs twice as much or more, and what the other pages lose is to be taken off.
 *
 * Nobody knows for how long a page stays hot. What has been hot for long is likely to stay so for
 * long. So it is believed to stay as long as there have been hot pages so far. Then the hottest
 * pages move at once, and others as time shows that they pay.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_GAIN_H
#define PGHOT_POLICY_GAIN_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "policy/rate.h"

/* For how long a page is believed to stay as hot as it was found, at least and at most, ms. */
#define GAIN_HORIZON_MIN	1000u
#define GAIN_HORIZON_MAX	30000u
/* What moving a base page costs at least, ns. */
#define GAIN_COST_MIN		500u
/*
 * What moving a base page into plenty of free memory is taken to cost at most, ns. It takes longer
 * where the link to the slow node is busy: with accesses of programs, which are fewer with each
 * page that is moved. So that is no reason to wait. A little memory relieves no link.
 */
#define GAIN_COST_FREE		10000u
/* Pages that are moved before their cost counts; then it is that of the last so many. */
#define GAIN_COST_PAGES		1024u
/*
 * The rate of hot pages that looks tell is a lower bound: it is that of all pages that were
 * used in two windows, and only those that were used in three are promoted. So less than what
 * is needed is asked for: a half, and a quarter where plenty of memory is free, which costs nobody.
 */
#define GAIN_PART_SWAP		2u
#define GAIN_PART_FREE		4u
/* More moves than this are not counted in what a swap has to gain. */
#define GAIN_MOVES_MAX		32u
/* Hot pages have to be used so many times as often as those that go down for them. */
#define GAIN_CONTRAST		2u
/* If they are used so many times as often, the two are hardly taken for one another. */
#define GAIN_CLEAR		16u

/* Uses in 1000 s, beyond which more do not count. */
#define GAIN_RATE_MAX		0xffffffffull

/**
 * enum gain_verdict - what is to be done with hot pages of slow nodes
 * @GAIN_UNKNOWN: nothing yet: too few pages have been looked at
 * @GAIN_FREE: promote them: there is free memory, and their uses pay for it
 * @GAIN_SWAP: promote them, and demote idle pages in return: that pays, too
 * @GAIN_NONE: nothing: what they would gain does not pay for moving them
 * @GAIN_NO_DEMOTION: nothing: fast memory is full, and nothing may be demoted
 * @GAIN_VERDICTS: number of verdicts
 */
enum gain_verdict {
	GAIN_UNKNOWN,
	GAIN_FREE,
	GAIN_SWAP,
	GAIN_NONE,
	GAIN_NO_DEMOTION,
	GAIN_VERDICTS,
};

/**
 * enum gain_room - is there free memory on fast nodes?
 * @GAIN_ROOM_NONE: no
 * @GAIN_ROOM_LITTLE: too little to hold what is hot: it is used, but only for what pays for sure
 * @GAIN_ROOM_PLENTY: so much that it is used for all that may pay
 */
enum gain_room {
	GAIN_ROOM_NONE,
	GAIN_ROOM_LITTLE,
	GAIN_ROOM_PLENTY,
};

/**
 * struct gain_cost - what moving pages has cost
 * @pages: base pages that were moved lately
 * @ns: CPU time that it took, ns
 */
struct gain_cost {
	u64 pages;
	u64 ns;
};

/**
 * gain_cost_init() - what it costs before any was moved
 * @cost: to be filled in
 * @ns: CPU time for a base page, ns
 */
static inline void gain_cost_init(struct gain_cost *cost, unsigned int ns)
{
	*cost = (struct gain_cost){ .pages = GAIN_COST_PAGES, .ns = (u64)ns * GAIN_COST_PAGES };
}

/**
 * gain_cost_add() - pages were moved
 * @cost: what it has cost so far
 * @pages: base pages
 * @ns: CPU time, ns
 */
static inline void gain_cost_add(struct gain_cost *cost, unsigned int pages, u64 ns)
{
	cost->pages += pages;
	cost->ns += ns;
	if (cost->pages >= 2 * GAIN_COST_PAGES) {
		cost->ns = div64_u64(cost->ns * GAIN_COST_PAGES, cost->pages);
		cost->pages = GAIN_COST_PAGES;
	}
}

/**
 * gain_cost_ns() - what moving a base page costs
 * @cost: what it has cost so far
 *
 * Return: CPU time, ns.
 */
static inline u64 gain_cost_ns(const struct gain_cost *cost)
{
	return max_t(u64, div64_u64(cost->ns, cost->pages), GAIN_COST_MIN);
}

/**
 * struct gain_question - what is asked
 * @hot: uses of a folio of a slow node that was found hot, in 1000 s
 * @pages: its size, base pages
 * @cold: uses of a base page of a fast node that was found idle, in 1000 s
 * @cost_ns: CPU time that moving a base page takes, ns
 * @access_ns: what an access to slow memory takes longer than one to fast memory, ns, at least 1
 * @horizon_ms: for how long it is believed to stay as hot, ms, at least 1
 * @bar: how many times its cost a swap has to gain, at least 1
 * @price: how many pages go down in a swap for one that comes up, at least 1
 * @room: there is free memory on fast nodes
 * @demotes: pages may be demoted
 */
struct gain_question {
	u64 hot;
	unsigned int pages;
	u64 cold;
	u64 cost_ns;
	unsigned int access_ns;
	unsigned int horizon_ms;
	unsigned int bar;
	unsigned int price;
	enum gain_room room;
	bool demotes;
};

/**
 * gain_horizon_ms() - for how long are hot pages believed to stay hot?
 * @hot_ns: for how long there have been some, ns
 *
 * Return: ms.
 */
static inline unsigned int gain_horizon_ms(u64 hot_ns)
{
	return clamp_t(u64, div_u64(hot_ns, NSEC_PER_MSEC), GAIN_HORIZON_MIN, GAIN_HORIZON_MAX);
}

/**
 * gain_need() - how often a folio has to be used, if moving it is to pay within the horizon
 * @q: the question, of which @hot and @cold are not looked at
 *
 * Return: uses in 1000 s, at least 1.
 */
static inline u64 gain_need(const struct gain_question *q)
{
	u64 cost = q->cost_ns;

	if (q->room == GAIN_ROOM_PLENTY)
		cost = min(cost, GAIN_COST_FREE);
	else if (q->room == GAIN_ROOM_NONE)
		cost *= min((1 + q->price) * q->bar, GAIN_MOVES_MAX);
	cost *= q->pages;
	return div64_u64(cost * 1000 * MSEC_PER_SEC, (u64)q->horizon_ms * q->access_ns) + 1;
}

/**
 * gain_enough() - how often the hot folios that looks find have to be used
 * @q: the question, of which @hot and @cold are not looked at
 *
 * Return: uses in 1000 s, less than gain_need(): see GAIN_PART_SWAP.
 */
static inline u64 gain_enough(const struct gain_question *q)
{
	return gain_need(q) / (q->room == GAIN_ROOM_PLENTY ? GAIN_PART_FREE : GAIN_PART_SWAP);
}

/**
 * gain_page_ns() - what it brings to promote a folio that was found hot
 * @q: the question
 *
 * Return: time that its users are spared within the horizon, ns a base page, before what moving
 * it costs.
 */
static inline u64 gain_page_ns(const struct gain_question *q)
{
	u64 hot = div_u64(q->hot, q->pages), cold = q->room ? 0 : q->cold;

	/* Uses in 1000 s times ms is 10^6 times the uses. */
	return div_u64(min(hot - min(hot, cold), GAIN_RATE_MAX) * q->horizon_ms * q->access_ns,
		       1000 * MSEC_PER_SEC);
}

/**
 * gain_decide() - does it pay?
 * @q: the question; all that it says is known
 *
 * Return: GAIN_FREE, GAIN_SWAP, GAIN_NONE or GAIN_NO_DEMOTION.
 */
static inline enum gain_verdict gain_decide(const struct gain_question *q)
{
	u64 enough = gain_enough(q), loss = q->cold * q->pages * q->price;

	if (q->room)
		return q->hot >= enough ? GAIN_FREE : GAIN_NONE;
	if (!q->demotes)
		return GAIN_NO_DEMOTION;
	return q->hot >= GAIN_CONTRAST * loss && q->hot - loss >= enough ?
	       GAIN_SWAP : GAIN_NONE;
}

/**
 * gain_is_eager() - is a folio to be taken for hot as soon as it is used for a second time?
 * @q: the question, answered by the verdict
 * @verdict: that
 *
 * Else it has to be used in all windows.
 */
static inline bool gain_is_eager(const struct gain_question *q, enum gain_verdict verdict)
{
	/*
	 * Where plenty of memory is free there is nobody whom it has to be hotter than. A swap of
	 * huge pages costs so much that it pays to look at them once more.
	 */
	return (verdict == GAIN_FREE && q->room == GAIN_ROOM_PLENTY) ||
	       (verdict == GAIN_SWAP && q->pages == 1 && q->hot >= GAIN_CLEAR * q->cold);
}

#endif /* PGHOT_POLICY_GAIN_H */
