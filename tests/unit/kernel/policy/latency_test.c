// SPDX-License-Identifier: GPL-2.0
/*
 * What an access takes: nothing is said before enough were measured, then it is the mean of the
 * last ones.
 */
#include "check.h"
#include "policy/latency.h"

/* So many accesses that take so long. */
static void add(struct latency *l, unsigned int reads, unsigned int ns)
{
	latency_add(l, reads, (u64)reads * ns);
}

static void test_few_say_nothing(void)
{
	struct latency fast = { 0 }, slow = { 0 };

	CHECK(latency_ns(&fast) == 0);
	CHECK(latency_gap_ns(&fast, &slow) == LATENCY_GAP);
	add(&fast, LATENCY_READS - 1, 80);
	CHECK(latency_ns(&fast) == 0);
	add(&fast, 1, 80);
	CHECK(latency_ns(&fast) == 80);
	CHECK(latency_gap_ns(&fast, &slow) == LATENCY_GAP);
	add(&slow, LATENCY_READS, 300);
	CHECK(latency_gap_ns(&fast, &slow) == 220);
}

static void test_a_loaded_link_is_known_before_fast_memory_is_in_use(void)
{
	struct latency fast = { 0 }, slow = { 0 };

	add(&slow, LATENCY_READS, 1800);
	CHECK(latency_gap_ns(&fast, &slow) == 1800 - LATENCY_FAST);
	add(&fast, LATENCY_READS - 1, 400);
	CHECK(latency_gap_ns(&fast, &slow) == 1800 - LATENCY_FAST);
	add(&fast, 1, 400);
	CHECK(latency_gap_ns(&fast, &slow) == 1400);
	/* Whoever says that a node is slow is believed until both are known. */
	slow = (struct latency){ 0 };
	fast = slow;
	add(&slow, LATENCY_READS, 80);
	CHECK(latency_gap_ns(&fast, &slow) == LATENCY_GAP);
}

static void test_slow_memory_is_believed_to_be_slow(void)
{
	struct latency fast = { 0 }, slow = { 0 };

	add(&fast, LATENCY_READS, 400);
	add(&slow, LATENCY_READS, 300);
	CHECK(latency_gap_ns(&fast, &slow) == LATENCY_GAP_MIN);
}

static void test_mean_follows(void)
{
	struct latency l = { 0 };
	unsigned int i;

	for (i = 0; i < 1000; i++)
		add(&l, 64, 300);
	CHECK(latency_ns(&l) == 300);
	CHECK(l.reads >= 2 * LATENCY_READS && l.reads < 4 * LATENCY_READS);
	/* The next ones do not make it theirs at once, but soon. */
	add(&l, 16, 900);
	CHECK(latency_ns(&l) > 300 && latency_ns(&l) < 400);
	for (i = 0; i < 24; i++)
		add(&l, 64, 900);
	CHECK(latency_ns(&l) > 890 && latency_ns(&l) <= 900);
}

static void test_interruptions_do_not_count(void)
{
	struct latency l = { 0 };

	add(&l, LATENCY_READS, 100);
	add(&l, 8, LATENCY_MAX + 1);
	CHECK(latency_ns(&l) == 100);
	latency_add(&l, 64, ~0ull);
	CHECK(latency_ns(&l) == 100);
}

int main(void)
{
	test_few_say_nothing();
	test_a_loaded_link_is_known_before_fast_memory_is_in_use();
	test_slow_memory_is_believed_to_be_slow();
	test_mean_follows();
	test_interruptions_do_not_count();
	return check_report();
}
