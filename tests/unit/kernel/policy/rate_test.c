// SPDX-License-Identifier: GPL-2.0
/*
 * How often pages are used: the logarithm against the C library's, and the rates of samples of
 * pages that are used by chance, against those that they were made with.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "policy/rate.h"

#define MS	1000000ull
#define PAGES	20000u

static void test_logarithm(void)
{
	struct random r = { .state = 1 };
	int i;

	CHECK(rate_ln(1, 1) == 0);
	CHECK(rate_ln(1ull << 30, 1ull << 30) == 0);
	for (i = 0; i < 100000; i++) {
		u64 by = random_log(&r, 1, 1u << 20), of = by * random_log(&r, 1, 1u << 20);
		double exact;
		u64 ln;

		of += random_below(&r, by);
		exact = 1024 * log((double)of / by);
		ln = rate_ln(of, by);
		CHECK(ln <= exact * 1.001);
		/* What is cut off the last digit counts for little but near 1. */
		CHECK(ln > exact * 0.99 - 2);
	}
}

/* Does it happen within the window, if it does so many times a second by chance? */
static bool happens(struct random *r, double per_s, u64 window_ns)
{
	double chance = 1 - exp(-per_s * window_ns / 1e9);

	return (random_u64(r) >> 11) < chance * (1ull << 53);
}

static struct rate_group group_of(struct random *r, double per_s, u64 window_ns, u64 jitter_ns,
				  unsigned int nr)
{
	struct rate_group group = { 0 };

	while (nr--) {
		u64 window = window_ns + (jitter_ns ? random_below(r, jitter_ns) : 0);

		rate_add(&group, happens(r, per_s, window), window);
	}
	return group;
}

static struct rate_sample sample_of(struct random *r, double per_s, u64 window_ns, u64 jitter_ns,
				    unsigned int nr)
{
	struct rate_group group = group_of(r, per_s, window_ns, jitter_ns, nr);
	struct rate_sample sample = { 0 };

	rate_end_group(&sample, &group);
	CHECK(sample.looked == nr && !group.looked && !group.used && !group.window_ns);
	return sample;
}

/* By how much the rate of a sample is off. */
static double error(const struct rate_sample *sample, double per_s)
{
	return fabs(rate_per_1000s(sample) / (1000 * per_s) - 1);
}

static void test_rates_are_those_of_the_pages(void)
{
	static const u64 windows[] = { MS / 10, 2 * MS, 10 * MS, 64 * MS };
	struct random r = { .state = 2 };
	unsigned int i;

	for (i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		double uses;

		for (uses = 0.05; uses < 4; uses *= 1.5) {
			double per_s = uses * 1e9 / windows[i];
			struct rate_sample sample = sample_of(&r, per_s, windows[i], 0, PAGES);

			CHECK(error(&sample, per_s) < 0.1);
			if (uses > 0.3)
				CHECK(error(&sample, per_s) < 0.04);
			/* Windows that are not all alike change little. */
			sample = sample_of(&r, per_s, windows[i], windows[i] / 4, PAGES);
			CHECK(error(&sample, per_s) < 0.1);
		}
	}
}

/* A short window tells what is used often, and a long one that it is used at all. */
static void test_saturation_is_a_lower_bound(void)
{
	struct random r = { .state = 3 };
	struct rate_sample few, many;

	few = sample_of(&r, 10000, 10 * MS, 0, 100);
	many = sample_of(&r, 10000, 10 * MS, 0, 10000);
	/* ln 201 / 10 ms, and ln 20001 / 10 ms. */
	CHECK(rate_per_1000s(&few) > 525000 && rate_per_1000s(&few) < 531000);
	CHECK(rate_per_1000s(&many) > 980000 && rate_per_1000s(&many) < 991500);
	many = sample_of(&r, 10000, MS / 10, 0, 10000);
	CHECK(error(&many, 10000) < 0.05);
}

static void test_more_use_is_a_higher_rate(void)
{
	u64 used, before = 0;

	for (used = 0; used <= 5000; used++) {
		struct rate_group group = {
			.looked = 5000, .used = used, .window_ns = 5000 * 10 * MS,
		};
		struct rate_sample sample = { 0 };
		u64 rate;

		rate_end_group(&sample, &group);
		rate = rate_per_1000s(&sample);
		CHECK(rate >= before);
		before = rate;
	}
}

/* One process of four runs at a time, and uses its pages four times as often then. */
static void test_waiting_is_no_reason_for_a_low_rate(void)
{
	struct random r = { .state = 4 };
	struct rate_sample sample = { 0 }, together = { 0 };
	struct rate_group all = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		struct rate_group group = group_of(&r, i % 4 ? 0 : 400, 10 * MS, 0, 1000);

		all.looked += group.looked;
		all.used += group.used;
		all.window_ns += group.window_ns;
		rate_end_group(&sample, &group);
	}
	rate_end_group(&together, &all);
	CHECK(error(&sample, 100) < 0.03);
	CHECK(rate_per_1000s(&together) < 40000);
}

static void test_small_groups_go_on(void)
{
	struct rate_group group = { 0 };
	struct rate_sample sample = { 0 };
	unsigned int i;

	for (i = 1; i < RATE_PAGES_MIN; i++) {
		rate_add(&group, i % 2, 10 * MS);
		rate_end_group(&sample, &group);
		CHECK(!sample.looked && group.looked == i);
	}
	rate_add(&group, false, 10 * MS);
	rate_end_group(&sample, &group);
	CHECK(sample.looked == RATE_PAGES_MIN && !group.looked);
	CHECK(sample.window_ns == RATE_PAGES_MIN * 10 * MS);
}

static void test_nothing_to_tell(void)
{
	struct rate_sample sample = { 0 };
	struct rate_group group = { 0 };
	unsigned int i;

	CHECK(rate_per_1000s(&sample) == 0 && !rate_is_known(&sample));
	for (i = 0; i < RATE_PAGES_MIN; i++)
		rate_add(&group, false, 10 * MS);
	rate_end_group(&sample, &group);
	CHECK(rate_is_known(&sample) && rate_per_1000s(&sample) == 0);
	/* Clocks of different CPUs may have seen no time pass. */
	sample = (struct rate_sample){ };
	group = (struct rate_group){ .looked = 20, .used = 20 };
	rate_end_group(&sample, &group);
	CHECK(rate_per_1000s(&sample) == 0);
	sample.window_ns = 1;
	CHECK(rate_per_1000s(&sample) > 0);
	/* Of all pages of a machine with 64 TB, in the longest window. */
	sample = (struct rate_sample){ };
	group = (struct rate_group){ .looked = 1ull << 34, .used = 1ull << 34 };
	group.window_ns = group.looked * 64 * MS;
	rate_end_group(&sample, &group);
	CHECK(rate_per_1000s(&sample) > 375000 && rate_per_1000s(&sample) < 379500);
}

int main(void)
{
	test_logarithm();
	test_rates_are_those_of_the_pages();
	test_saturation_is_a_lower_bound();
	test_more_use_is_a_higher_rate();
	test_waiting_is_no_reason_for_a_low_rate();
	test_small_groups_go_on();
	test_nothing_to_tell();
	return check_report();
}
