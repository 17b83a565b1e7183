// SPDX-License-Identifier: GPL-2.0
/*
 * The window: numbers by hand; and on populations of pages that are used by chance it comes to
 * where as much is hot as there is place for, stays there, and is never beyond its limits.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "policy/window.h"

#define SECOND_US	1000000u
#define GROUPS		64
#define PAGES		1000000ull

static const struct window_limits limits = { .min_us = 2000, .max_us = 64000, .initial_us = 10000 };

static unsigned int fit(unsigned int window_us, u64 used, unsigned int goal)
{
	return window_fit(&limits, window_us, 1000, used, goal, 1);
}

static void test_by_hand(void)
{
	/* Within a fifth of the goal nothing changes. */
	CHECK(fit(10000, 500, 500) == 10000);
	CHECK(fit(10000, 600, 500) == 10000);
	CHECK(fit(10000, 400, 500) == 10000);
	/* A step, and a large one where it is far off. */
	CHECK(fit(10000, 601, 500) == 7500);
	CHECK(fit(10000, 399, 500) == 13333);
	CHECK(fit(10000, 999, 400) == 5000);
	CHECK(fit(10000, 100, 500) == 20000);
	CHECK(fit(10000, 0, 500) == 20000);
	/* Limits. */
	CHECK(fit(2000, 1000, 10) == 2000);
	CHECK(fit(2500, 1000, 10) == 2000);
	CHECK(fit(64000, 0, 500) == 64000);
	CHECK(fit(40000, 0, 500) == 64000);
	/* All fits. */
	CHECK(fit(10000, 1000, 1000) == 10000);
	CHECK(fit(10000, 100, 1000) == 20000);
}

static void test_need_ends_it(void)
{
	/* 100 uses a second: 10 ms, the time from one to the next. */
	CHECK(window_fit(&limits, 10000, 1000, 0, 500, 100000) == 10000);
	CHECK(window_fit(&limits, 64000, 1000, 500, 500, 100000) == 10000);
	CHECK(window_fit(&limits, 10000, 1000, 0, 500, 50002) == 19999);
	/* However often it would have to be: the memory cannot be looked at faster. */
	CHECK(window_fit(&limits, 10000, 1000, 0, 500, 10000000) == 2000);
	CHECK(window_fit(&limits, 10000, 1000, 0, 500, ~0ull) == 2000);
}

static void test_few_pages_say_nothing(void)
{
	CHECK(window_fit(&limits, 10000, WINDOW_PAGES_MIN - 1, 0, 500, 1) == 10000);
	CHECK(window_fit(&limits, 10000, WINDOW_PAGES_MIN, 0, 500, 1) == 20000);
	CHECK(window_fit(&limits, 10000, 0, 0, 500, 1) == 10000);
	CHECK(window_fit(&limits, 10000, 0, 0, 500, 500000) == 2000);
}

static void test_most_hot_pages_are_used_in_the_window_for_free_memory(void)
{
	/* 100 uses a second: two of them in 20 ms. */
	CHECK(window_of_rate(&limits, 100000, 1) == 20000);
	/* Limits; none is known to be hot. */
	CHECK(window_of_rate(&limits, 10000000, 1) == 2000);
	CHECK(window_of_rate(&limits, 1000, 1) == 64000);
	CHECK(window_of_rate(&limits, 0, 1) == 64000);
	CHECK(window_of_rate(&limits, ~0ull, 1) == 2000);
	/* Pages that are used less than is needed are not to be taken for hot. */
	CHECK(window_of_rate(&limits, 20000, 50000) == 20000);
}

/* How many of all pages are used within a window, if all groups are of one size. */
static u64 used_within(const double *per_s, unsigned int window_us)
{
	double sum = 0;
	int i;

	for (i = 0; i < GROUPS; i++)
		sum += 1 - exp(-per_s[i] * window_us / SECOND_US);
	return PAGES * sum / GROUPS;
}

/* How often it came to where it was to, and to each of its ends. */
static struct {
	unsigned long fits, shortest, longest;
} seen;

static void comes_to_the_goal(struct random *r)
{
	unsigned int goal = 20 + random_below(r, 960), window = random_log(r, 2000, 64000);
	unsigned int before = 0, i;
	u64 need = random_log(r, 1, 1000000), longest = 1000ull * SECOND_US / need, share = 0;
	double per_s[GROUPS], scale = random_log(r, 1, 100000), skew = random_below(r, 20) / 10.;

	for (i = 0; i < GROUPS; i++)
		per_s[i] = scale / pow(i + 1, skew);
	longest = longest < limits.min_us ? limits.min_us : longest;
	longest = longest > limits.max_us ? limits.max_us : longest;
	for (i = 0; i < 30; i++) {
		before = window;
		window = window_fit(&limits, before, PAGES, used_within(per_s, before), goal, need);
		CHECK(window >= limits.min_us && window <= longest);
		CHECK(window <= 2 * before);
		CHECK(window >= before / 2 || window == longest);
	}
	/* It does not go to and fro. */
	CHECK(window == before);
	share = used_within(per_s, window) * 1000 / PAGES;
	if (share * 10 > goal * 12) {
		seen.shortest++;
		CHECK(window == limits.min_us);
	} else if (share * 10 < goal * 8) {
		seen.longest++;
		CHECK(window == longest);
	} else {
		seen.fits++;
	}
}

int main(void)
{
	struct random r = { .state = 1 };
	int i;

	test_by_hand();
	test_need_ends_it();
	test_few_pages_say_nothing();
	test_most_hot_pages_are_used_in_the_window_for_free_memory();
	for (i = 0; i < 5000; i++)
		comes_to_the_goal(&r);
	CHECK(seen.fits > 1000 && seen.shortest > 200 && seen.longest > 200);
	return check_report();
}
