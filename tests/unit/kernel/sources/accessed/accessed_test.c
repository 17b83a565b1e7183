// SPDX-License-Identifier: GPL-2.0
/*
 * The accessed-bit scanner's tuning rule: its four cases and bounds by hand, then against
 * the published table told in fractions, over random finds; where it leaves the rule;
 * scales and shares of a CPU.
 */

#include "check.h"
#include "random.h"
#include "sources/accessed/tune.h"
#include "core/share.h"

#define MS 1000000ull

static struct accessed_tune tuned(unsigned int size_mb, unsigned int period_ms, bool useful,
				  unsigned long found)
{
	struct accessed_tune t = { size_mb, period_ms, useful, false };

	accessed_tune(&t, found, 0);
	return t;
}

static bool is(struct accessed_tune t, unsigned int size_mb, unsigned int period_ms, bool useful)
{
	return t.size_mb == size_mb && t.period_ms == period_ms && t.useful == useful;
}

static void test_by_hand(void)
{
	struct accessed_tune t;

	accessed_tune_init(&t);
	CHECK(is(t, 1024, 2000, false));

	/* Nothing, and still nothing. */
	CHECK(is(tuned(1024, 2000, false, 0), 512, 2300, false));
	CHECK(is(tuned(256, 4900, false, 255), 256, 5000, false));
	/* Something at last. */
	CHECK(is(tuned(256, 5000, false, 256), 4096, 625, true));
	CHECK(is(tuned(1024, 2000, false, 100000), 4096, 500, true));
	/* Again and again. */
	CHECK(is(tuned(512, 1000, true, 256), 1024, 850, true));
	CHECK(is(tuned(4096, 500, true, 100000), 4096, 500, true));
	/* Nothing any more. */
	CHECK(is(tuned(1024, 600, true, 0), 1024, 4800, false));
	CHECK(is(tuned(4096, 625, true, 255), 4096, 5000, false));
}

/* The table: what becomes of period and size, in hundredths; 0 for the largest size. */
static const struct {
	unsigned int period, size;
} table[2][2] = {
	{ { 115, 50 }, { 12, 0 } },	/* nothing before; nothing, something now */
	{ { 800, 100 }, { 85, 200 } },	/* something before */
};

static void test_against_the_table(void)
{
	unsigned long runs[2][2] = { 0 };
	struct random r = { 1 };
	struct accessed_tune t;
	int i;

	accessed_tune_init(&t);
	for (i = 0; i < 200000; i++) {
		/* So dear that the rule is followed. */
		u64 cost = 100 * MS + random_below(&r, 1000) * MS;
		unsigned long found = random_below(&r, 2 * SCAN_USEFUL_MIN);
		unsigned int x = t.useful, y = found >= 256, period, size;
		struct accessed_tune was = t;

		accessed_tune(&t, found, cost);
		runs[x][y]++;
		period = was.period_ms * table[x][y].period / 100;
		if (!x && y)
			period = was.period_ms / 8;
		size = table[x][y].size ? was.size_mb * table[x][y].size / 100 : SCAN_SIZE_MAX;
		CHECK(t.period_ms == (period < 500 ? 500 : period > 5000 ? 5000 : period));
		CHECK(t.size_mb == (size < 256 ? 256 : size > 4096 ? 4096 : size));
		CHECK(t.useful == y);
	}
	CHECK(runs[0][0] > 1000 && runs[0][1] > 1000 && runs[1][0] > 1000 && runs[1][1] > 1000);
}

/* Empty scans where something was found before: 1/50 of a CPU, whatever the rule says. */
static void test_empty_but_proven(void)
{
	struct accessed_tune t = { 4096, 500, true, true };

	accessed_tune(&t, 0, 10 * MS);
	CHECK(is(t, 4096, 500, false));
	accessed_tune(&t, 0, 9 * MS);
	CHECK(is(t, 2048, 450, false));
	accessed_tune(&t, 0, 0);
	CHECK(t.period_ms == 100);
	/* From there the rule goes on, within its own bounds. */
	accessed_tune(&t, 0, 100 * MS);
	CHECK(t.period_ms == 500);
	accessed_tune(&t, 0, 100 * MS);
	CHECK(t.period_ms == 575);
	accessed_tune(&t, 256, 0);
	CHECK(t.period_ms == 500 && t.useful);

	/* Where nothing was ever found the rule holds, however cheap it is. */
	accessed_tune_init(&t);
	accessed_tune(&t, 255, 0);
	CHECK(t.period_ms == 2300 && !t.proven);
	accessed_tune(&t, 256, 0);
	CHECK(t.proven);
	accessed_tune(&t, 0, 3 * MS);
	CHECK(t.period_ms == 150 && t.proven);
}

static void test_scale(void)
{
	struct accessed_tune t = { .period_ms = 500 };

	CHECK(accessed_wait_ms(&t, SCAN_SCALE_DEFAULT) == 500);
	CHECK(accessed_wait_ms(&t, SCAN_SCALE_MAX) == 400);
	CHECK(accessed_wait_ms(&t, 4) == 1000);
	CHECK(accessed_wait_ms(&t, 1) == 4000);
}

/* Work and rest together are so long that the work is its share of it. */
static void test_share(void)
{
	unsigned int percent;

	CHECK(share_rest_ns(12345, 100, 1) == 0);
	CHECK(share_rest_ns(1000000, 50, 1) == 1000000);
	CHECK(share_rest_ns(1000000, 10, 1) == 9000000);
	CHECK(share_rest_ns(0, 1, 1) == 0);
	/* Of four that share a half, each has an eighth. */
	CHECK(share_rest_ns(1000000, 50, 4) == 7000000);
	CHECK(share_rest_ns(1000000, 100, 2) == 1000000);
	/* Of eight, which have two CPUs and a half together; all of theirs is no rest. */
	CHECK(share_rest_ns(1000000, 250, 8) == 2200000);
	CHECK(share_rest_ns(1000000, 800, 8) == 0);
	for (percent = 1; percent <= 100; percent++) {
		u64 worked = 1000000000000, rest = share_rest_ns(worked, percent, 1);

		CHECK(worked * 100 / (worked + rest) == percent);
	}
}

int main(void)
{
	test_by_hand();
	test_against_the_table();
	test_empty_but_proven();
	test_scale();
	test_share();
	return check_report();
}
