// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts where fast nodes have free memory: when it counts, what is promoted into it, and what
 * comes when it is used up.
 */
#include "check.h"
#include "policy/sweep.h"

static void test_free_memory_is_used_at_once(void)
{
	begin();
	look(900, 1, ROOM_ENOUGH, false);
	CHECK(small()->verdict == GAIN_FREE && small()->hot_since == now);

	begin();
	look(900, 1, ROOM_ENOUGH - 1, false);
	CHECK(small()->verdict == GAIN_UNKNOWN);
	sweep(900, 1, ROOM_ENOUGH);
	CHECK(small()->verdict == GAIN_FREE);
}

static void test_room_ends_later_than_it_begins(void)
{
	begin();
	sweep(900, 1, ROOM_ENOUGH - 1);
	CHECK(!small()->room);
	sweep(900, 1, ROOM_ENOUGH);
	CHECK(small()->room);
	sweep(900, 1, ROOM_SHORT);
	CHECK(small()->room);
	sweep(900, 1, ROOM_SHORT - 1);
	CHECK(!small()->room);
}

/* A sweep that has met no hot pages at all. */
static void sweep_without_hot(long room)
{
	struct policy_look none = {
		.kind = POLICY_SMALL, .cold = used(1), .looked = 1000, .sweep_ended = true,
	};
	struct capacity c = { .room = { room, 0 }, .demotes = true, .share = 250 };

	now += LOOK_NS;
	verdict_after_look(&policy, &none, &c, MOST, now);
}

static void test_a_sweep_without_hot_pages_does_not_end_promotion_into_room(void)
{
	u64 since;

	begin();
	sweep(900, 1, ROOM_ENOUGH);
	since = now;
	CHECK(small()->verdict == GAIN_FREE);
	do {
		sweep_without_hot(ROOM_ENOUGH);
		CHECK(small()->verdict == (now - since <= GAIN_HORIZON_MIN * NSEC_PER_MSEC ?
					   GAIN_FREE : GAIN_UNKNOWN));
	} while (small()->verdict == GAIN_FREE);
	CHECK(now - since > GAIN_HORIZON_MIN * NSEC_PER_MSEC);
	/* It begins nothing, and keeps no swap. */
	sweep_without_hot(ROOM_ENOUGH);
	CHECK(small()->verdict == GAIN_UNKNOWN);
	begin();
	sweep(900, 1, 0);
	sweep(900, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP);
	sweep_without_hot(0);
	CHECK(small()->verdict == GAIN_UNKNOWN);
}

/* With long windows all hot pages are promoted before their last one is over. */
static void test_pages_that_are_promoted_early_are_hot(void)
{
	struct policy_look gone = {
		.kind = POLICY_SMALL, .looked = 2000, .used = 250, .found = 250, .cpu_ns = 1000000,
		.sweep_ended = true,
	};
	struct capacity c = { .room = { ROOM_ENOUGH, 0 }, .demotes = true, .share = 250 };

	begin();
	sweep(900, 1, ROOM_ENOUGH);
	now += 2 * GAIN_HORIZON_MIN * NSEC_PER_MSEC;
	small()->window_us = 64000;
	policy.effort.percent = EFFORT_MIN;
	verdict_after_look(&policy, &gone, &c, MOST, now);
	CHECK(small()->verdict == GAIN_FREE && policy.effort.percent == MOST);
	/* At least once in 64 ms; what was known before fades. */
	CHECK(rate_per_1000s(&small()->hot) >= 15600);
	/* Nothing is known of them if there are few, as of others. */
	begin();
	gone.found = RATE_PAGES_MIN - 1;
	verdict_after_look(&policy, &gone, &c, MOST, now);
	CHECK(!small()->hot.looked && small()->verdict == GAIN_UNKNOWN);
	/* A page is found in two windows at least. */
	gone.found = RATE_PAGES_MIN;
	small()->window_us = 64000;
	verdict_after_look(&policy, &gone, &c, MOST, now);
	CHECK(rate_per_1000s(&small()->hot) / 100 == 156);
}

/* Room that was made for hot pages, of which others took some. */
static void test_a_swap_that_makes_room_for_others_has_to_pay_for_it(void)
{
	begin();
	sweep(600, 1, 0);
	sweep(600, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP);
	verdict_room_made(&policy, 1000, 499, now);
	CHECK(small()->verdict == GAIN_SWAP);
	/* Moving takes long while the link is busy. That is no reason if nobody takes the room. */
	small()->cost.ns *= 100;
	verdict_room_made(&policy, 1000, 0, now);
	CHECK(small()->verdict == GAIN_SWAP);
	small()->cost.ns /= 100;
	verdict_room_made(&policy, 1000, 950, now);
	CHECK(small()->verdict == GAIN_NONE && small()->finding == GAIN_NONE && !small()->eager);
	/* As long as it is so, and then two sweeps have to say that it pays. */
	sweep(600, 1, 0);
	sweep(600, 1, 0);
	CHECK(small()->verdict == GAIN_NONE);
	now += 5 * PRICE_FADE_NS;
	sweep(600, 1, 0);
	CHECK(small()->verdict == GAIN_NONE && small()->finding == GAIN_SWAP);
	sweep(600, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP);

	/* What is hot enough pays at any price. */
	begin();
	sweep(1000, 1, 0);
	sweep(1000, 1, 0);
	verdict_room_made(&policy, 1000, 1000, now);
	CHECK(small()->verdict == GAIN_SWAP);
	/* Of what nothing is known nothing is told. */
	memset(&small()->hot, 0, sizeof(small()->hot));
	verdict_room_made(&policy, 1000, 1000, now);
	CHECK(small()->verdict == GAIN_SWAP);

	/* Free memory costs nobody anything. */
	begin();
	sweep(600, 1, ROOM_ENOUGH);
	CHECK(small()->verdict == GAIN_FREE);
	verdict_room_made(&policy, 1000, 1000, now);
	sweep(600, 1, ROOM_ENOUGH);
	CHECK(small()->verdict == GAIN_FREE);
}

static void test_the_window_for_free_memory_is_that_of_hot_pages(void)
{
	struct gain_question q;

	begin();
	sweep(900, 1, ROOM_ENOUGH);
	/* 900 of 1000 are used within 10 ms: 230 times a second, so twice in 8.7 ms. */
	CHECK(small()->window_us > 8500 && small()->window_us < 8900);
	/* All memory is looked at with it, after a sample has found them. */
	begin();
	policy.effort.percent = EFFORT_MIN;
	small()->window_us = 60000;
	policy.kind[POLICY_HUGE].window_us = 9000;
	sweep(300, 1, ROOM_ENOUGH);
	CHECK(small()->verdict == GAIN_FREE && !effort_is_sample(&policy.effort));
	q = verdict_question(&policy, POLICY_SMALL, true, now);
	CHECK(small()->window_us ==
	      window_of_rate(&verdict_windows[POLICY_SMALL], q.hot, gain_enough(&q)));
	CHECK(small()->window_us > verdict_windows[POLICY_SMALL].initial_us);
	CHECK(policy.kind[POLICY_HUGE].window_us == verdict_windows[POLICY_HUGE].initial_us);
}

static void test_room_that_ends_asks_a_sample_for_swaps(void)
{
	/* A swap pays, too. */
	begin();
	look(900, 1, ROOM_ENOUGH, false);
	CHECK(small()->verdict == GAIN_FREE && small()->eager);
	look(900, 1, ROOM_SHORT, false);
	CHECK(small()->verdict == GAIN_FREE);
	look(900, 1, ROOM_SHORT - 1, false);
	CHECK(small()->verdict == GAIN_UNKNOWN && !small()->eager && !small()->room);
	CHECK(effort_is_sample(&policy.effort) && policy.effort.percent == MOST);
	sweep(900, 1, 0);
	CHECK(small()->finding == GAIN_SWAP && policy.effort.percent == MOST);
	sweep(900, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP && policy.effort.percent == MOST);

	/* It does not: all are used alike. */
	begin();
	look(900, 900, ROOM_ENOUGH, false);
	look(900, 900, 0, false);
	sweep(900, 900, 0);
	CHECK(small()->verdict == GAIN_NONE && policy.effort.percent < EFFORT_SAMPLE);
}

static void test_little_free_memory_is_worth_no_effort(void)
{
	struct capacity c = { .size = 16 * ROOM_ENOUGH, .demotes = true, .tables = 1 << 16 };

	/* It does not begin anything, and swaps take it, too. */
	size = c.size;
	c.room[POLICY_SMALL] = 2 * ROOM_ENOUGH - 1;
	begin();
	verdict_wake(&policy, &c, MOST);
	CHECK(effort_is_sample(&policy.effort));
	look(900, 1, c.room[POLICY_SMALL], false);
	CHECK(small()->verdict == GAIN_UNKNOWN);
	sweep(900, 1, c.room[POLICY_SMALL]);
	sweep(900, 1, c.room[POLICY_SMALL]);
	CHECK(small()->verdict == GAIN_SWAP && !small()->room);

	/* If these do not pay, what is found is promoted, and nobody looks harder for it. */
	begin();
	effort_set(&policy.effort, EFFORT_MIN);
	sweep(900, 900, c.room[POLICY_SMALL]);
	CHECK(small()->verdict == GAIN_FREE && !small()->eager && !small()->room);
	CHECK(policy.effort.percent == EFFORT_MIN);
	sweep(900, 900, ROOM_SHORT);
	CHECK(small()->verdict == GAIN_FREE);
	sweep(900, 900, ROOM_SHORT - 1);
	CHECK(small()->verdict == GAIN_UNKNOWN);
	sweep(900, 900, ROOM_ENOUGH - 1);
	CHECK(small()->verdict == GAIN_NONE);

	/* What was free before there was anything to promote need not be used up. */
	begin();
	sweep(1, 1, 2 * ROOM_ENOUGH);
	CHECK(small()->verdict == GAIN_NONE && small()->room);
	sweep(900, 1, 2 * ROOM_ENOUGH - 1);
	CHECK(small()->finding == GAIN_SWAP && !small()->room);

	/* Huge pages are found at next to no effort. */
	c.room[POLICY_SMALL] = ROOM_ENOUGH;
	c.room[POLICY_HUGE] = ROOM_ENOUGH;
	CHECK(verdict_finds_room(&c, POLICY_HUGE) && !verdict_finds_room(&c, POLICY_SMALL));

	/* It is plenty where nothing may be demoted. */
	c.demotes = false;
	verdict_wake(&policy, &c, MOST);
	CHECK(!effort_is_sample(&policy.effort));
	size = 0;
}

int main(void)
{
	test_free_memory_is_used_at_once();
	test_room_ends_later_than_it_begins();
	test_a_sweep_without_hot_pages_does_not_end_promotion_into_room();
	test_pages_that_are_promoted_early_are_hot();
	test_a_swap_that_makes_room_for_others_has_to_pay_for_it();
	test_the_window_for_free_memory_is_that_of_hot_pages();
	test_room_that_ends_asks_a_sample_for_swaps();
	test_little_free_memory_is_worth_no_effort();
	return check_report();
}
