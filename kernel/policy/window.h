/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How long a look waits for a page to be used
 *
 * A page that is used within the window is hot, and others are not. With a longer window more
 * pages are hot. So the window is fitted: as much of the memory is to be hot as fast nodes can
 * hold. Then the hottest pages are found, whatever hot means for a workload. Where there is plenty
 * of free memory nothing has to be told apart: the window is so long that most hot pages are used
 * in it, which finds them soonest.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_WINDOW_H
#define PGHOT_POLICY_WINDOW_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * struct window_limits - what a window may be
 * @min_us: at least, us: what it takes to look at the memory
 * @max_us: at most, us
 * @initial_us: at first, us
 */
struct window_limits {
	unsigned int min_us;
	unsigned int max_us;
	unsigned int initial_us;
};

/* Pages that a window is judged by, at least. */
#define WINDOW_PAGES_MIN	256u
/* No change while the share of hot pages is within this much of the goal, thousandths of it. */
#define WINDOW_SLACK		200u

/* Uses of a hot page in a window where there is free memory: 86 % of such pages are used then. */
#define WINDOW_USES	2u

/*
 * The longest window: to the time from one use to the next of pages that are used just often enough
 * for moving them to pay. Others are not to be taken for hot.
 */
static inline u64 window_longest(const struct window_limits *limits, u64 need)
{
	return clamp_t(u64, div64_u64(1000ull * USEC_PER_SEC, need), limits->min_us,
		       limits->max_us);
}

/**
 * window_of_rate() - the window in which most pages that are used so often are used
 * @limits: what it may be
 * @rate: uses in 1000 s
 * @need: how often a page has to be used for moving it to pay, in 1000 s
 *
 * Return: us, within the limits.
 */
static inline unsigned int window_of_rate(const struct window_limits *limits, u64 rate, u64 need)
{
	return clamp_t(u64, div64_u64(WINDOW_USES * 1000ull * USEC_PER_SEC, max(rate, 1ull)),
		       limits->min_us, window_longest(limits, need));
}

/**
 * window_fit() - the next window, by what the last one has found
 * @limits: what it may be
 * @window_us: the last one, us
 * @looked: pages looked at, of all nodes
 * @used: of these, pages that were used within the window
 * @goal: how many of 1000 pages are to be hot: what fast nodes hold of all
 * @need: how often a page has to be used for moving it to pay, in 1000 s
 *
 * Return: us, within the limits: at most twice as much, or half.
 */
static inline unsigned int window_fit(const struct window_limits *limits, unsigned int window_us,
				      u64 looked, u64 used, unsigned int goal, u64 need)
{
	u64 longest = window_longest(limits, need);
	u64 share;

	if (looked < WINDOW_PAGES_MIN)
		return min_t(u64, window_us, longest);
	share = div64_u64(used * 1000, looked);
	if (share * 1000 > (u64)goal * (1000 + WINDOW_SLACK))
		window_us = share > 2 * goal ? window_us / 2 : window_us * 3 / 4;
	else if (share * 1000 < (u64)goal * (1000 - WINDOW_SLACK))
		window_us = share * 2 < goal ? window_us * 2 : window_us * 4 / 3;
	return clamp_t(u64, window_us, limits->min_us, longest);
}

#endif /* PGHOT_POLICY_WINDOW_H */
