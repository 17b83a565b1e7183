// SPDX-License-Identifier: GPL-2.0
/*
 * Pauses between rounds of ageing: by what a round met, and by what it took.
 */
#include <linux/types.h>

#include "../check.h"
#include "sources/mglru/pause.h"

#define MS	1000000ull

static u64 found;

/* The pause after a round that began at @begin_ms and took @used_ms. */
static u64 pause_of(u64 begin_ms, u64 used_ms, bool met, bool again, unsigned int percent)
{
	const struct aging_round round = {
		.begin = begin_ms * MS, .used = used_ms * MS,
		.aged = true, .met = met, .again = again,
	};

	return aging_pause_ms(&found, &round, percent);
}

static void test_pauses_grow_while_nothing_is_met(void)
{
	found = 100000 * MS;
	CHECK(pause_of(100100, 0, false, false, 100) == AGING_PAUSE_MIN);
	CHECK(pause_of(108000, 0, false, false, 100) == 1000);
	CHECK(pause_of(180000, 0, false, false, 100) == AGING_PAUSE_MAX);
	/* Something new is looked at again soon; and once it was, all begins anew. */
	CHECK(pause_of(180000, 0, true, false, 100) == AGING_PAUSE_NEW);
	CHECK(pause_of(180500, 0, true, true, 100) == AGING_PAUSE_MIN);
	CHECK(found == 180500 * MS);
	/* Soon after boot. */
	found = 0;
	CHECK(pause_of(300, 0, true, false, 100) == AGING_PAUSE_MIN);
}

static void test_nodes_without_memory_in_use(void)
{
	const struct aging_round round = { .begin = 50000 * MS, .used = 1000 * MS };

	found = 0;
	CHECK(aging_pause_ms(&found, &round, 50) == AGING_PAUSE_NEW);
}

/* A round that was dear and met nothing again is followed by more rest than the share says. */
static void test_empty_rounds_rest_longer_the_more_they_cost(void)
{
	found = 100000 * MS;
	CHECK(pause_of(100000, 1000, false, false, 50) == 8000);
	CHECK(pause_of(100000, 1000, true, false, 50) == 8000);
	CHECK(pause_of(100000, 100, false, false, 50) == 800);
	CHECK(pause_of(100000, 10, false, false, 50) == AGING_PAUSE_MIN);
	/* The share bites instead where it is smaller, and after rounds that were of use. */
	CHECK(pause_of(100000, 1000, false, false, 10) == 9000);
	CHECK(pause_of(100000, 1000, true, true, 50) == 1000);
	CHECK(pause_of(100000, 100, true, true, 50) == AGING_PAUSE_MIN);
}

int main(void)
{
	test_pauses_grow_while_nothing_is_met();
	test_nodes_without_memory_in_use();
	test_empty_rounds_rest_longer_the_more_they_cost();
	return check_report();
}
