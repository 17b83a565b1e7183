// SPDX-License-Identifier: GPL-2.0
/*
 * How much is looked at: half as much with each sweep that is not worth its time, down to a
 * sample, and all of it again with the first find that is.
 */
#include "check.h"
#include "random.h"
#include "policy/effort.h"

/* A sweep's CPU time, ns, and what a find has to bring to be worth it. */
#define COST	1000000ull

static void test_nothing_found_is_half_the_effort(void)
{
	struct effort e = { .percent = 50 };
	static const unsigned int then[] = { 25, 12, 6, 3, 1, 1, 1 };
	unsigned int i;

	for (i = 0; i < sizeof(then) / sizeof(*then); i++) {
		/* In the middle of a sweep nothing is known yet. */
		effort_after_look(&e, 0, COST / 2, false, 50);
		CHECK(e.percent == (i ? then[i - 1] : 50));
		effort_after_look(&e, COST - 1, COST / 2, true, 50);
		CHECK(e.percent == then[i]);
		CHECK(!e.gain_ns && !e.cost_ns);
	}
	/* Nothing is worth nothing, even if it was for free. */
	e.percent = 50;
	effort_after_look(&e, 0, 0, true, 50);
	CHECK(e.percent == 25);
}

static void test_find_brings_all_back(void)
{
	struct effort e = { .percent = EFFORT_MIN };

	effort_after_look(&e, COST, COST, false, 50);
	CHECK(e.percent == 50);
	/* The sweep is worth it, unless the rest of it costs more. */
	effort_after_look(&e, 0, 0, true, 50);
	CHECK(e.percent == 50);
	effort_after_look(&e, COST, COST, false, 50);
	effort_after_look(&e, 0, 1, true, 50);
	CHECK(e.percent == 25);
}

static void test_little_adds_up_within_a_sweep_only(void)
{
	struct effort e = { .percent = 10 };

	effort_after_look(&e, COST / 2, COST, false, 80);
	CHECK(e.percent == 10);
	effort_after_look(&e, COST / 2, 0, false, 80);
	CHECK(e.percent == 80);

	e = (struct effort){ .percent = 10 };
	effort_after_look(&e, COST / 2, COST, true, 80);
	CHECK(e.percent == 5);
	effort_after_look(&e, COST / 2, COST, true, 80);
	CHECK(e.percent == 2);
}

static void test_finds_that_stay_are_none(void)
{
	struct effort e = { .percent = 50 };
	unsigned int i;

	for (i = 0; i < EFFORT_VAIN; i++) {
		effort_after_look(&e, COST, COST, true, 50);
		CHECK(e.percent == 50);
	}
	effort_after_look(&e, COST, COST, true, 50);
	CHECK(e.percent == 25);
	/* A sweep that finds nothing changes nothing about that. */
	effort_after_look(&e, 0, COST, true, 50);
	effort_after_look(&e, COST, COST, true, 50);
	CHECK(e.percent == 6);
	/* Something was moved: from the next sweep on, finds count again. */
	e.moved = 1;
	effort_after_look(&e, COST, COST, true, 50);
	effort_after_look(&e, COST, COST, true, 50);
	CHECK(e.percent == 50);
}

static void test_sample(void)
{
	struct effort e = { .percent = EFFORT_SAMPLE };
	unsigned long tables;

	CHECK(!effort_is_sample(&e));
	e.percent = EFFORT_SAMPLE - 1;
	CHECK(effort_is_sample(&e));

	CHECK(effort_stride(0, 32) == 1);
	CHECK(effort_stride(32, 32) == 1);
	CHECK(effort_stride(33, 32) == 1);
	CHECK(effort_stride(64, 32) == 2);
	for (tables = 1; tables < 1ul << 32; tables = tables * 5 / 4 + 1) {
		unsigned long stride = effort_stride(tables, 32);

		CHECK(!(stride & (stride - 1)));
		CHECK(tables < 32 || (tables / stride >= 32 && tables / stride < 64));
	}
}

static void test_a_scout_is_a_sample_and_costs_no_effort(void)
{
	struct effort e = { .percent = 50, .scout = true };

	CHECK(effort_is_sample(&e));
	effort_after_look(&e, 0, COST, false, 50);
	CHECK(e.scout && e.percent == 50);
	effort_after_look(&e, 0, COST, true, 50);
	CHECK(!e.scout && e.percent == 50 && !effort_is_sample(&e));
	effort_after_look(&e, 0, COST, true, 50);
	CHECK(e.percent == 25);
}

static void test_administrator_sets_the_most(void)
{
	struct effort e = { .percent = 80 };
	struct random r = { .state = 1 };
	int i;

	effort_after_look(&e, 0, COST, false, 30);
	CHECK(e.percent == 30);
	effort_after_look(&e, 2 * COST, 0, true, 1);
	CHECK(e.percent == 1);
	/* More of it does nothing until there is something to find. */
	effort_after_look(&e, 0, COST, false, 100);
	CHECK(e.percent == 1);
	for (i = 0; i < 100000; i++) {
		unsigned int most = 1 + random_below(&r, 100);

		effort_after_look(&e, random_below(&r, 100), random_below(&r, 100),
				  random_once_in(&r, 2), most);
		CHECK(e.percent >= EFFORT_MIN && e.percent <= most);
	}
}

int main(void)
{
	test_nothing_found_is_half_the_effort();
	test_find_brings_all_back();
	test_little_adds_up_within_a_sweep_only();
	test_finds_that_stay_are_none();
	test_sample();
	test_a_scout_is_a_sample_and_costs_no_effort();
	test_administrator_sets_the_most();
	return check_report();
}
