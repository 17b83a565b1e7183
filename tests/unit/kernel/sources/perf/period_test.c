// SPDX-License-Identifier: GPL-2.0
/*
 * The sampling period: numbers by hand; a CPU whose samples cost something, with any load
 * and bound; and numbers that make no sense.
 */

#include "check.h"
#include "random.h"
#include "sources/perf/period.h"

#define SECOND	1000000000ull

static void test_fit(void)
{
	u32 period;

	CHECK(perf_period_fit(0) == 1);
	CHECK(perf_period_fit(1) == 1);
	CHECK(perf_period_fit(15) == 15);
	CHECK(perf_period_fit(16) == 16);
	CHECK(perf_period_fit(17) == 32);
	CHECK(perf_period_fit(10000) == 10000);
	CHECK(perf_period_fit(~0ull) == PERF_PERIOD_MAX && PERF_PERIOD_MAX % 16 == 0);
	for (period = 16; period < 100000; period++) {
		u32 fit = perf_period_fit(period);

		CHECK(fit >= period && fit < period + 16 && fit % 16 == 0);
	}
}

static void test_by_hand(void)
{
	/* 1 % of a second is 10 ms: within 7.5 to 10 nothing changes. */
	CHECK(perf_period_next(16000, 1, SECOND / 100, SECOND, 10) == 16000);
	CHECK(perf_period_next(16000, 1, SECOND * 3 / 400, SECOND, 10) == 16000);
	/* Twice the bound: longer by 2 * 8 / 7. */
	CHECK(perf_period_next(7 * 1024, 1, SECOND / 50, SECOND, 10) == 16 * 1024);
	/* Half of it: shorter, by 4 / 7. */
	CHECK(perf_period_next(7 * 1024, 1, SECOND / 200, SECOND, 10) == 4 * 1024);
	/* Nothing at all: half, down to the lowest, and to 1. */
	CHECK(perf_period_next(16000, 1000, 0, SECOND, 10) == 8000);
	CHECK(perf_period_next(1600, 1000, 0, SECOND, 10) == 1008);
	CHECK(perf_period_next(1, 1, 0, SECOND, 10) == 1);
	CHECK(perf_period_next(2, 1, 0, SECOND, 1) == 1);
	/* A little too much changes even the shortest. */
	CHECK(perf_period_next(1, 1, SECOND / 100 + 1, SECOND, 10) == 2);
	/* All of the CPU: no more than the largest step; and never more than the longest. */
	CHECK(perf_period_next(7 * 1024, 1, SECOND, SECOND, 1) == 16 * 8 * 1024);
	CHECK(perf_period_next(PERF_PERIOD_MAX, 1, SECOND, SECOND, 1) == PERF_PERIOD_MAX);
	/* A lowest that was raised acts at once. */
	CHECK(perf_period_next(16, 100000, SECOND / 100, SECOND, 10) == 100000);
	/* 0.1 % is 1 ms. */
	CHECK(perf_period_next(16, 1, SECOND / 1000, SECOND, 1) == 16);
	CHECK(perf_period_next(16, 1, SECOND / 500, SECOND, 1) == 48);
}

/* A load of so many events a second, each sample of which costs so much. */
static u64 cost(u64 events, u64 sample_ns, u32 period)
{
	return events / period * sample_ns;
}

/* From any period, the cost is soon below the bound, and not far below it if it need not be. */
static void test_settles(void)
{
	struct random r = { 2 };
	unsigned int i, step, settled = 0;

	for (i = 0; i < 20000; i++) {
		u64 events = random_log(&r, 1, 10 * SECOND), sample_ns = random_log(&r, 100, 20000);
		unsigned int permille = random_log(&r, 1, 200);
		u32 lowest = random_log(&r, 1, 10000), period, before = 0;
		u64 bound = SECOND * permille / 1000, busy;

		period = max(perf_period_fit(random_log(&r, 1, PERF_PERIOD_MAX)),
			     perf_period_fit(lowest));
		for (step = 0; step < 40; step++) {
			before = period;
			busy = cost(events, sample_ns, period);
			period = perf_period_next(period, lowest, busy, SECOND, permille);
			CHECK(period >= lowest && period <= PERF_PERIOD_MAX);
			CHECK(period == perf_period_fit(period));
			CHECK(period >= before / 2 && period <= 19 * before + 16);
		}
		/* With few samples the cost goes in steps, and there is no saying. */
		if (events / period < 100 && period > lowest)
			continue;
		settled++;
		busy = cost(events, sample_ns, period);
		CHECK(period == before);
		CHECK(busy <= bound || period == PERF_PERIOD_MAX);
		CHECK(busy >= bound / 3 || period == perf_period_fit(lowest));
	}
	CHECK(settled > 5000);
}

/* A load that begins when the period is shortest: four steps to the bound at most. */
static void test_jump(void)
{
	u32 period = 1;
	unsigned int step;

	for (step = 0; step < 4; step++) {
		u64 all = SECOND, busy = min(cost(30000000, 1000, period), all);

		period = perf_period_next(period, 1, busy, SECOND, 1);
	}
	CHECK(cost(30000000, 1000, period) <= SECOND / 1000);
}

static void test_any_numbers(void)
{
	struct random r = { 3 };
	unsigned int i;

	for (i = 0; i < 1000000; i++) {
		u32 before = perf_period_fit(random_u64(&r) >> random_below(&r, 64));
		u32 lowest = random_below(&r, 1u << 27);
		u64 busy = random_u64(&r) >> random_below(&r, 64);
		u64 wall = random_u64(&r) >> (19 + random_below(&r, 45));
		u32 period = perf_period_next(before, lowest, busy, wall,
					      1 + random_below(&r, 1000));

		CHECK(period && period <= PERF_PERIOD_MAX);
		CHECK(period >= lowest || period == PERF_PERIOD_MAX);
	}
}

int main(void)
{
	test_fit();
	test_by_hand();
	test_settles();
	test_jump();
	test_any_numbers();
	return check_report();
}
