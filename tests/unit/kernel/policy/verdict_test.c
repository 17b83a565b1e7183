// SPDX-License-Identifier: GPL-2.0
/*
 * How sweeps become verdicts: what has to be confirmed, what is decided early, what a sample adds,
 * and when windows begin anew.
 */
#include "check.h"
#include "policy/sweep.h"

static void test_a_swap_has_to_be_confirmed(void)
{
	begin();
	sweep(900, 1, 0);
	CHECK(small()->finding == GAIN_SWAP && small()->verdict == GAIN_UNKNOWN);
	sweep(900, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP && small()->eager);

	begin();
	sweep(900, 1, 0);
	sweep(1, 1, 0);
	CHECK(small()->verdict == GAIN_NONE);
	sweep(900, 1, 0);
	CHECK(small()->finding == GAIN_SWAP && small()->verdict == GAIN_NONE);
}

static void test_an_end_is_confirmed_if_pages_were_moved(void)
{
	begin();
	sweep(900, 1, 0);
	sweep(900, 1, 0);
	sweep(1, 1, 0);
	CHECK(small()->verdict == GAIN_NONE && !small()->eager);

	begin();
	sweep(900, 1, 0);
	sweep(900, 1, 0);
	policy.effort.moved = MOVED_MANY;
	sweep(1, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP && small()->finding == GAIN_NONE);
	sweep(1, 1, 0);
	CHECK(small()->verdict == GAIN_NONE);
}

/* A sweep of huge pages, of which so many of 1000 are used. */
static void sweep_huge(unsigned int hot, unsigned int window)
{
	struct policy_look look = {
		.kind = POLICY_HUGE, .hot = used(hot), .cold = used(1), .looked = 512000,
		.sweep_ended = true,
	};
	struct capacity c = { .demotes = true, .share = 250 };

	look.hot.window_ns *= window;
	now += LOOK_NS;
	verdict_after_look(&policy, &look, &c, MOST, now);
}

static void test_moving_huge_pages_is_no_reason_for_a_lower_rate(void)
{
	const struct kind_state *huge = &policy.kind[POLICY_HUGE];
	u64 rate;

	begin();
	sweep_huge(900, 1);
	rate = rate_per_1000s(&huge->hot);
	policy.kind[POLICY_HUGE].moving = 1;
	sweep_huge(1, 1);
	CHECK(rate_per_1000s(&huge->hot) < rate * 0.91);
	CHECK(rate_per_1000s(&huge->hot) > rate * 0.89);
	policy.kind[POLICY_HUGE].moving = 0;
	policy.kind[POLICY_HUGE].moved = now + 1;
	sweep_huge(1, 1);
	CHECK(rate_per_1000s(&huge->hot) < rate * 0.82);
	CHECK(rate_per_1000s(&huge->hot) > rate * 0.80);
	sweep_huge(1, 1);
	CHECK(huge->hot.uses == used(1).uses);

	/* A sweep that takes long tells all the same. */
	sweep_huge(900, 1);
	policy.kind[POLICY_HUGE].moving = 1;
	now += FADE_NS;
	sweep_huge(100, 1);
	CHECK(huge->hot.uses == used(100).uses);
}

static void test_swaps_of_a_kind_disturb_those_who_look_at_it(void)
{
	struct kind_state *huge = &policy.kind[POLICY_HUGE];

	begin();
	huge->verdict = GAIN_SWAP;
	CHECK(!verdict_is_disturbed(huge, now));
	huge->moving = 1;
	CHECK(verdict_is_disturbed(huge, now));
	CHECK(!verdict_is_disturbed(&policy.kind[POLICY_SMALL], now));
	huge->moving = 0;
	huge->moved = now;
	CHECK(verdict_is_disturbed(huge, now - 1));
	CHECK(!verdict_is_disturbed(huge, now));
	/* Whoever goes to free memory takes nobody's place. */
	huge->verdict = GAIN_FREE;
	CHECK(!verdict_is_disturbed(huge, now - 1));
}

static void test_a_bound_is_no_reason_for_a_lower_rate(void)
{
	const struct kind_state *huge = &policy.kind[POLICY_HUGE];
	u64 rate;

	/* All were used, then in a window that happened to be ten times as long, too. */
	begin();
	sweep_huge(1000, 1);
	rate = rate_per_1000s(&huge->hot);
	sweep_huge(1000, 10);
	CHECK(rate_per_1000s(&huge->hot) > rate * 0.89);
	CHECK(rate_per_1000s(&huge->hot) < rate * 0.91);
	/* Some were not. */
	sweep_huge(999, 10);
	CHECK(rate_per_1000s(&huge->hot) < rate * 0.11);
}

static void test_two_parts_of_a_sweep_tell_that_a_swap_pays(void)
{
	begin();
	look(900, 1, 0, false);
	CHECK(small()->finding == GAIN_SWAP && small()->verdict == GAIN_UNKNOWN);
	CHECK(small()->hot_since == now && !effort_is_sample(&policy.effort));
	look(900, 1, 0, false);
	CHECK(small()->verdict == GAIN_SWAP && small()->eager && policy.effort.percent == MOST);
	CHECK(!effort_is_sample(&policy.effort));

	/* One after the other, and in one sweep. */
	begin();
	look(900, 1, 0, false);
	look(900, 900, 0, false);
	look(900, 1, 0, false);
	CHECK(small()->verdict == GAIN_UNKNOWN);
	begin();
	look(900, 1, 0, false);
	sweep(1, 900, 0);
	look(900, 1, 0, false);
	CHECK(small()->verdict == GAIN_NONE);
}

static void test_some_parts_do_not_tell(void)
{
	struct rate_sample few = {
		.looked = PART_FOLIOS - 1, .uses = 1024 * PART_FOLIOS,
		.window_ns = PART_FOLIOS * WINDOW,
	};
	struct policy_look look = { .kind = POLICY_SMALL, .hot = few, .cold = used(1) };
	struct capacity c = { .demotes = true, .share = 250 };
	int i;

	/* Too few folios. */
	begin();
	for (i = 0; i < 4; i++)
		verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(small()->finding == GAIN_UNKNOWN);
	look.hot = used(900);
	look.cold = few;
	for (i = 0; i < 4; i++)
		verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(small()->finding == GAIN_UNKNOWN);
	/* Nobody may be demoted. */
	look.cold = used(1);
	c.demotes = false;
	for (i = 0; i < 4; i++)
		verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(small()->finding == GAIN_UNKNOWN);
	/* A part of a sample. */
	c.demotes = true;
	policy.effort.scout = true;
	for (i = 0; i < 4; i++)
		verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(small()->finding == GAIN_UNKNOWN);
}

static void test_without_idle_pages_nothing_is_known_of_a_swap(void)
{
	struct policy_look look = {
		.kind = POLICY_SMALL, .hot = used(900), .looked = 1000, .sweep_ended = true,
	};
	struct capacity c = { .demotes = true, .share = 250 };

	begin();
	verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(small()->verdict == GAIN_UNKNOWN);
	c.demotes = false;
	verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(small()->verdict == GAIN_NO_DEMOTION);
}

static void test_idle_pages_of_the_other_kind_count_by_their_size(void)
{
	struct rate_sample cold = used(500);
	u64 rate;

	begin();
	CHECK(!verdict_cold_rate(&policy, POLICY_SMALL, &rate));
	policy.kind[POLICY_HUGE].cold = cold;
	CHECK(verdict_cold_rate(&policy, POLICY_SMALL, &rate));
	CHECK(rate == rate_per_1000s(&cold) / HUGE);
	small()->cold = used(1);
	CHECK(verdict_cold_rate(&policy, POLICY_SMALL, &rate));
	CHECK(rate == min(rate_per_1000s(&cold) / HUGE, rate_per_1000s(&small()->cold)));
	/* A huge page needs a block that is free as a whole. */
	CHECK(verdict_cold_rate(&policy, POLICY_HUGE, &rate));
	CHECK(rate == rate_per_1000s(&cold) / HUGE);
	policy.kind[POLICY_HUGE].cold = (struct rate_sample){ };
	CHECK(!verdict_cold_rate(&policy, POLICY_HUGE, &rate));
}

static void test_a_sample_adds_to_what_is_known(void)
{
	begin();
	policy.effort.percent = EFFORT_SAMPLE - 1;
	sweep(100, 1, 0);
	CHECK(small()->hot.looked == 1000 && small()->hot.uses == used(100).uses);
	sweep(150, 1, 0);
	CHECK(small()->hot.looked == 1500);
	CHECK(small()->hot.uses == used(150).uses + used(100).uses / 2);

	/* Pages are idle until a program begins to work: this is another time. */
	begin();
	policy.effort.percent = EFFORT_SAMPLE - 1;
	sweep(1, 1, 0);
	sweep(900, 600, 0);
	CHECK(small()->cold.looked == 1000 && small()->cold.uses == used(600).uses);
	CHECK(small()->finding == GAIN_SWAP);
	sweep(900, 700, 0);
	CHECK(small()->cold.looked == 1500);

	/* All memory takes the place of what was known. */
	begin();
	sweep(100, 1, 0);
	sweep(300, 1, 0);
	CHECK(small()->hot.looked == 1000 && small()->hot.uses == used(300).uses);
}

static void test_a_find_brings_all_effort_and_new_windows(void)
{
	begin();
	sweep(1, 1, 0);
	sweep(1, 1, 0);
	policy.effort.percent = EFFORT_MIN;
	small()->window_us = 60000;
	policy.kind[POLICY_HUGE].window_us = 9000;
	sweep(900, 1, 0);
	CHECK(policy.effort.percent == MOST);
	/* All memory is looked at with new windows, once a sample has confirmed it. */
	sweep(900, 1, 0);
	CHECK(small()->window_us <= verdict_windows[POLICY_SMALL].initial_us);
	CHECK(policy.kind[POLICY_HUGE].window_us == verdict_windows[POLICY_HUGE].initial_us);
}

static void test_a_find_that_is_not_confirmed_was_nothing(void)
{
	begin();
	policy.effort.percent = EFFORT_MIN;
	sweep(900, 1, 0);
	CHECK(small()->finding == GAIN_SWAP && policy.effort.percent == MOST);
	sweep(900, 900, 0);
	CHECK(small()->verdict == GAIN_NONE && effort_is_sample(&policy.effort));
	sweep(900, 900, 0);
	CHECK(effort_is_sample(&policy.effort));

	/* Where nothing was known before, all memory is looked at then. */
	begin();
	sweep(900, 1, 0);
	sweep(900, 900, 0);
	CHECK(!effort_is_sample(&policy.effort));
}

/* A part of a sweep of huge pages, of which so many of 1000 are used; or its end. */
static void look_huge(unsigned int hot, unsigned int cold, bool ends)
{
	struct policy_look look = {
		.kind = POLICY_HUGE, .hot = used(hot), .cold = used(cold), .looked = 512000,
		.sweep_ended = ends,
	};
	struct capacity c = { .demotes = true, .share = 250 };

	look.hot.window_ns /= HUGE;
	look.cold.window_ns /= HUGE;
	now += LOOK_NS;
	verdict_after_look(&policy, &look, &c, MOST, now);
}

static void test_a_quiet_sweep_hurries_if_a_swap_seems_to_pay(void)
{
	const struct kind_state *huge = &policy.kind[POLICY_HUGE];

	begin();
	look_huge(1, 1, true);
	policy.effort.percent = EFFORT_MIN;
	look_huge(1, 1, false);
	CHECK(policy.effort.percent == EFFORT_MIN);
	look_huge(900, 1, false);
	CHECK(policy.effort.percent == MOST && effort_is_sample(&policy.effort));
	CHECK(huge->finding == GAIN_NONE);
	/* The small folios that come next do not end the effort that huge ones have brought. */
	look_huge(900, 1, true);
	sweep(1, 1, 0);
	CHECK(huge->finding == GAIN_SWAP && huge->verdict == GAIN_NONE);
	CHECK(policy.effort.percent == MOST && effort_is_sample(&policy.effort));
	look_huge(900, 1, true);
	CHECK(huge->verdict == GAIN_SWAP && !effort_is_sample(&policy.effort));
}

static void test_a_quiet_sweep_of_small_folios_does_not_hurry(void)
{
	struct policy_look look = {
		.kind = POLICY_SMALL, .hot = used(900), .cold = used(1), .looked = 1000,
	};
	struct capacity c = { .demotes = true, .share = 250 };

	begin();
	sweep(1, 1, 0);
	policy.effort.percent = EFFORT_MIN;
	now += LOOK_NS;
	verdict_after_look(&policy, &look, &c, MOST, now);
	CHECK(policy.effort.percent == EFFORT_MIN);
}

static void test_what_was_suspected_in_vain_costs_little(void)
{
	const struct kind_state *huge = &policy.kind[POLICY_HUGE];
	unsigned int sweeps;

	/* All was idle, and from now on all is used. So the idle folios of before tell nothing. */
	begin();
	look_huge(1, 1, true);
	policy.effort.percent = EFFORT_MIN;
	look_huge(900, 900, false);
	CHECK(policy.effort.percent == MOST);
	look_huge(900, 900, true);
	CHECK(huge->finding == GAIN_NONE);
	for (sweeps = 0; sweeps < 4; sweeps++) {
		sweep(1, 1, 0);
		CHECK(policy.effort.percent < EFFORT_SAMPLE);
		look_huge(900, 900, false);
		look_huge(900, 900, true);
	}
	CHECK(policy.effort.percent == EFFORT_MIN);
}

static void test_samples_come_first_where_it_has_to_be_known(void)
{
	struct capacity c = { .room = { ROOM_ENOUGH, 0 }, .demotes = true, .tables = 1 << 16 };

	begin();
	verdict_wake(&policy, &c, MOST);
	CHECK(!effort_is_sample(&policy.effort) && policy.tables == 1 << 16);
	c.room[POLICY_SMALL]--;
	verdict_wake(&policy, &c, MOST);
	CHECK(effort_is_sample(&policy.effort) && policy.effort.percent == MOST);
	/* It finds that a swap pays, and a second one confirms it. */
	sweep(900, 1, 0);
	CHECK(small()->verdict == GAIN_UNKNOWN && effort_is_sample(&policy.effort));
	sweep(900, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP && !effort_is_sample(&policy.effort));

	/* One that finds nothing is followed by all memory. */
	begin();
	verdict_wake(&policy, &c, MOST);
	sweep(1, 1, 0);
	CHECK(!effort_is_sample(&policy.effort) && policy.effort.percent == MOST);
}

static void test_hot_pages_are_known_since_there_were_some(void)
{
	struct policy_look none = {
		.kind = POLICY_SMALL, .cold = used(1), .looked = 1000, .sweep_ended = true,
	};
	struct capacity c = { .demotes = true, .share = 250 };
	u64 since;

	begin();
	sweep(900, 1, 0);
	since = small()->hot_since;
	CHECK(since == now);
	sweep(900, 1, 0);
	CHECK(small()->hot_since == since);
	/* A sample may have met none of them by chance. */
	verdict_after_look(&policy, &none, &c, MOST, now);
	CHECK(small()->verdict == GAIN_UNKNOWN && small()->hot_since == since);
	now += 2 * GAIN_HORIZON_MIN * NSEC_PER_MSEC;
	verdict_after_look(&policy, &none, &c, MOST, now);
	CHECK(!small()->hot_since);
}

/* A sweep that has met no idle folio, and hot ones if told so. */
static void sweep_without_idle(enum policy_kind kind, bool hot, const struct capacity *c)
{
	struct policy_look look = {
		.kind = kind, .hot = hot ? used(900) : (struct rate_sample){ }, .looked = 32 * HUGE,
		.sweep_ended = true,
	};

	now += LOOK_NS;
	verdict_after_look(&policy, &look, c, MOST, now);
}

static void test_few_huge_pages_are_split(void)
{
	struct capacity c = { .demotes = true, .share = 250, .huge = SPLIT_HUGE_MAX * HUGE };

	/* Those of fast nodes only if small ones are hot, and nothing is known to be idle. */
	begin();
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(policy.splits[true] && !policy.splits[false]);
	sweep_without_idle(POLICY_SMALL, true, &c);
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(policy.splits[true] && policy.splits[false]);
	sweep(900, 900, 0);
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(policy.splits[true] && !policy.splits[false]);

	/* Or if they wait for room. */
	sweep(900, 1, 0);
	sweep(900, 1, 0);
	CHECK(small()->verdict == GAIN_SWAP);
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(policy.splits[true] && policy.splits[false]);

	/* If their rates are known, nothing has to be split. */
	sweep_huge(900, 1);
	CHECK(!policy.splits[true] && !policy.splits[false]);

	/* Nor if they are many, may not be demoted, or find room. */
	begin();
	c.huge++;
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(!policy.splits[true]);
	c.huge--;
	c.demotes = false;
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(!policy.splits[true]);
	c.demotes = true;
	c.room[POLICY_HUGE] = ROOM_ENOUGH;
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(!policy.splits[true]);
	c.room[POLICY_HUGE] = 0;
	sweep_without_idle(POLICY_HUGE, false, &c);
	CHECK(policy.splits[true]);
}

int main(void)
{
	test_a_swap_has_to_be_confirmed();
	test_an_end_is_confirmed_if_pages_were_moved();
	test_moving_huge_pages_is_no_reason_for_a_lower_rate();
	test_swaps_of_a_kind_disturb_those_who_look_at_it();
	test_a_bound_is_no_reason_for_a_lower_rate();
	test_two_parts_of_a_sweep_tell_that_a_swap_pays();
	test_some_parts_do_not_tell();
	test_without_idle_pages_nothing_is_known_of_a_swap();
	test_idle_pages_of_the_other_kind_count_by_their_size();
	test_a_sample_adds_to_what_is_known();
	test_a_find_brings_all_effort_and_new_windows();
	test_a_find_that_is_not_confirmed_was_nothing();
	test_a_quiet_sweep_hurries_if_a_swap_seems_to_pay();
	test_a_quiet_sweep_of_small_folios_does_not_hurry();
	test_what_was_suspected_in_vain_costs_little();
	test_samples_come_first_where_it_has_to_be_known();
	test_hot_pages_are_known_since_there_were_some();
	test_few_huge_pages_are_split();
	return check_report();
}
