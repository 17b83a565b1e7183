/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of verdicts have in common: a policy, its clock, and sweeps of small folios that it is
 * told of.
 */
#ifndef TEST_POLICY_SWEEP_H
#define TEST_POLICY_SWEEP_H

#include <string.h>

#include "policy/verdict.h"

#define HUGE	512u
#define MOST	50u
#define WINDOW	10000000ull
#define LOOK_NS	100000000ull

static struct policy policy;
static u64 now;

static inline void begin(void)
{
	memset(&policy, 0, sizeof(policy));
	verdict_init(&policy, HUGE, MOST);
	now = 1000000000ull;
}

static inline struct kind_state *small(void)
{
	return &policy.kind[POLICY_SMALL];
}

/* So many of 1000 pages are used in a window of 10 ms. */
static inline struct rate_sample used(unsigned int of_1000)
{
	struct rate_group group = { .looked = 1000, .used = of_1000, .window_ns = 1000 * WINDOW };
	struct rate_sample sample = { };

	rate_end_group(&sample, &group);
	return sample;
}

/* What a fast node holds; for looks. */
static long size;

/* A look at 4000 pages, which ends a sweep, and what fast nodes have free for small pages. */
static inline void look(unsigned int hot, unsigned int cold, long room, bool ends)
{
	struct policy_look look = {
		.kind = POLICY_SMALL, .hot = used(hot), .cold = used(cold), .looked = 4000,
		.used = 1000, .cpu_ns = 1000000, .sweep_ended = ends,
	};
	struct capacity c = {
		.room = { room, room }, .size = size, .demotes = true, .share = 250,
		.tables = 1 << 16,
	};

	now += LOOK_NS;
	verdict_after_look(&policy, &look, &c, MOST, now);
}

static inline void sweep(unsigned int hot, unsigned int cold, long room)
{
	look(hot, cold, room, true);
}

#endif /* TEST_POLICY_SWEEP_H */
