// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of a budget of CPU time: what each user of it gets, by hand and over random
 * requests; and limits in pages a second.
 */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "promote/fairshare.h"
#include "promote/limit.h"
#include "random.h"

#define SECOND	UINT64_C(1000000000)
#define BUDGET	(SECOND / 4)
#define STEP	(SECOND / 1000)
#define BATCH	8

/*
 * A user as the module sees one: it asks for pages of a batch each millisecond until it has
 * what it wants of a window. @cost is what a page really costs.
 */
struct load {
	uint64_t key;
	uint64_t want;	/* of a window, ns */
	uint64_t cost;	/* of a page, ns */
	uint64_t got;	/* in this window */
	uint64_t sum;	/* in all windows */
	uint64_t least;	/* in any window since clear() */
};

static uint64_t now = 12345;

/* As somebody does who would use what they ask for. */
static bool may_have(struct fairshare *f, uint64_t key, uint64_t budget)
{
	bool may = pghot_fair_ask(f, key, budget, now);

	if (!may)
		pghot_fair_refuse(f, key);
	return may;
}

static void ask(struct fairshare *f, struct load *load, uint64_t budget)
{
	while (load->got < load->want && may_have(f, load->key, budget)) {
		uint64_t cost = BATCH * load->cost, taken = 0;
		unsigned int i;

		for (i = 0; i < BATCH; i++)
			taken += pghot_fair_take(f, load->key, 1);
		pghot_fair_settle(f, load->key, taken, cost, BATCH);
		load->got += cost;
		load->sum += cost;
	}
}

static void clear(struct load *loads, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		loads[i].sum = 0;
		loads[i].least = UINT64_MAX;
	}
}

/* The loads side by side, the first one first each time. */
static void windows(struct fairshare *f, struct load *loads, unsigned int nr, unsigned int windows)
{
	unsigned int i;
	uint64_t ms;

	while (windows--) {
		for (i = 0; i < nr; i++)
			loads[i].got = 0;
		for (ms = 0; ms < 1000; ms++, now += STEP)
			for (i = 0; i < nr; i++)
				ask(f, &loads[i], BUDGET);
		for (i = 0; i < nr; i++)
			if (loads[i].got < loads[i].least)
				loads[i].least = loads[i].got;
	}
}

/* Within what a batch costs, and a part in a hundred. */
static bool near(uint64_t value, uint64_t expected)
{
	uint64_t tolerance = expected / 100 + 20 * BATCH * FAIR_PAGE_NS;

	return value <= expected + tolerance && value + tolerance >= expected;
}

static void test_alone(void)
{
	struct load load = { .key = 7, .want = SECOND, .cost = 3000 };
	struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	clear(&load, 1);
	windows(&f, &load, 1, 1);
	CHECK(near(load.sum, BUDGET));
	windows(&f, &load, 1, 9);
	CHECK(near(load.sum, 10 * BUDGET));
	CHECK(near(load.least, BUDGET));
}

/* A second's budget, however long nobody has asked. */
static void test_unused_is_saved(void)
{
	struct load load = { .key = 7, .want = 4 * SECOND, .cost = 3000 };
	static const uint64_t idle[] = { 1, 5, 100 };
	struct fairshare f;
	unsigned int i;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, &load, 1, 1);
	for (i = 0; i < 3; i++) {
		now += idle[i] * SECOND;
		windows(&f, &load, 1, 1);
		CHECK(near(load.got, 2 * BUDGET));
		windows(&f, &load, 1, 1);
		CHECK(near(load.got, BUDGET));
	}
	load.want = BUDGET / 2;
	windows(&f, &load, 1, 1);
	load.want = SECOND;
	windows(&f, &load, 1, 1);
	CHECK(near(load.got, 3 * BUDGET / 2));
}

static void test_newcomer_gets_its_share(void)
{
	struct load loads[] = {
		{ .key = 1, .want = SECOND, .cost = 2500 },
		{ .key = 2, .want = SECOND, .cost = 1000 },
	};
	struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, 1, 3);
	/* All of this window is set aside for the other. */
	windows(&f, loads, 2, 1);
	clear(loads, 2);
	windows(&f, loads, 2, 10);
	CHECK(near(loads[0].least, BUDGET / 2));
	CHECK(near(loads[1].least, BUDGET / 2));
	CHECK(near(loads[0].sum + loads[1].sum, 10 * BUDGET));
}

static void test_small_ones_get_what_they_want(void)
{
	/* The greedy one always asks first. */
	struct load loads[] = {
		{ .key = 1, .want = SECOND, .cost = 2000 },
		{ .key = 2, .want = BUDGET / 10, .cost = 2000 },
		{ .key = 3, .want = BUDGET / 5, .cost = 2000 },
	};
	struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, 3, 3);
	clear(loads, 3);
	windows(&f, loads, 3, 20);
	CHECK(near(loads[1].least, BUDGET / 10));
	CHECK(near(loads[2].least, BUDGET / 5));
	CHECK(near(loads[0].sum, 20 * (BUDGET - BUDGET / 10 - BUDGET / 5)));
}

static void test_many_greedy_ones(void)
{
	static struct load loads[FAIR_USERS];
	struct fairshare f;
	unsigned int i;

	for (i = 0; i < FAIR_USERS; i++)
		loads[i] = (struct load){ .key = 100 + i, .want = SECOND, .cost = 1000 };
	loads[9].want = BUDGET / 4 / FAIR_USERS;
	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, FAIR_USERS, 2);
	clear(loads, FAIR_USERS);
	windows(&f, loads, FAIR_USERS, 5);
	for (i = 0; i < FAIR_USERS; i++)
		CHECK(i == 9 ? loads[i].least >= loads[i].want :
		      loads[i].least >= BUDGET * 9 / 10 / FAIR_USERS);
}

/*
 * Sleeping, and then asking for all, takes nothing from who asks for its part steadily: besides
 * what that leaves there is only what nobody has used.
 */
static void test_bursts_take_nothing_from_others(void)
{
	struct load loads[] = {
		{ .key = 1, .want = 0, .cost = 2000 },
		{ .key = 2, .want = BUDGET * 3 / 4, .cost = 2000 },
	};
	uint64_t unused = BUDGET / 2, sum;	/* a quarter in each of two */
	struct fairshare f;
	unsigned int i;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, 2, 2);
	clear(loads, 2);
	for (i = 0; i < 10; i++) {
		loads[0].want = i % 2 ? 0 : SECOND;
		windows(&f, loads, 2, 1);
		CHECK(loads[0].got <= BUDGET / 4 + unused + BUDGET / 100);
		/* Half is set aside for the other in the window after it was refused. */
		CHECK(loads[1].got + BUDGET / 100 >= (i % 2 ? BUDGET / 2 : BUDGET * 3 / 4));
		sum = loads[0].got + loads[1].got;
		unused = BUDGET + unused > sum ? BUDGET + unused - sum : 0;
	}
}

/* Pages whose cost nobody can foresee are paid for all the same, by who has them. */
static void test_expensive_pages_are_paid_for(void)
{
	struct load loads[] = {
		{ .key = 1, .want = SECOND, .cost = 2000 * 1000 },
		{ .key = 2, .want = SECOND, .cost = 2000 },
	};
	struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, 2, 3);
	clear(loads, 2);
	windows(&f, loads, 2, 40);
	CHECK(loads[0].sum <= 40 * (BUDGET / 2) + 2 * BATCH * loads[0].cost);
	CHECK(loads[1].least >= BUDGET / 2 - BUDGET / 100);
}

static void test_overhead_is_paid_for_by_all(void)
{
	struct load loads[] = {
		{ .key = 1, .want = SECOND, .cost = 2000 },
		{ .key = 2, .want = SECOND, .cost = 2000 },
	};
	struct fairshare f;
	unsigned int i;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, 2, 3);
	clear(loads, 2);
	for (i = 0; i < 10; i++) {
		fair_overhead(&f, BUDGET / 2);
		windows(&f, loads, 2, 1);
	}
	CHECK(near(loads[0].sum + loads[1].sum, 10 * BUDGET / 2));
	CHECK(near(loads[0].sum, loads[1].sum));
}

static void test_idle_ones_are_forgotten(void)
{
	struct load load = { .key = 1, .want = SECOND, .cost = 2000 };
	struct load other = { .key = 2, .want = SECOND, .cost = 2000 };
	struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, &load, 1, 2);
	CHECK(f.nr == 1);
	now += 2 * SECOND;
	clear(&other, 1);
	windows(&f, &other, 1, 1);
	CHECK(f.nr == 1 && f.users[0].key == 2);
	CHECK(near(other.sum, 2 * BUDGET));
	/* Debts as well, after a while. */
	pghot_fair_settle(&f, 2, 0, 1000 * SECOND, 1);
	now += 10 * SECOND;
	CHECK(!pghot_fair_ask(&f, 2, BUDGET, now));
	now += 100 * SECOND;
	CHECK(pghot_fair_ask(&f, 3, BUDGET, now));
	CHECK(f.nr == 1);
}

/* Who asks for pages that cannot be promoted anyhow takes nothing of the next window. */
static void test_asking_alone_is_no_want(void)
{
	struct load load = { .key = 1, .want = SECOND, .cost = 2000 };
	struct fairshare f;
	unsigned int i;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, &load, 1, 2);
	clear(&load, 1);
	for (i = 0; i < 5; i++) {
		windows(&f, &load, 1, 1);
		CHECK(!pghot_fair_ask(&f, 2, BUDGET, now - STEP));
		CHECK(!pghot_fair_is_refused(&f, 2));
	}
	CHECK(near(load.least, BUDGET));

	/* Once it would have used the time, it has its share. */
	pghot_fair_refuse(&f, 2);
	CHECK(pghot_fair_is_refused(&f, 2));
	windows(&f, &load, 1, 1);
	CHECK(near(load.got, BUDGET / 2));
	CHECK(!pghot_fair_is_refused(&f, 2));
}

/* What it costs to look at somebody's pages is taken from what these may have. */
static void test_looks_are_charged(void)
{
	struct load loads[] = {
		{ .key = 1, .want = SECOND, .cost = 2000 },
		{ .key = 2, .want = SECOND, .cost = 2000 },
	};
	struct fairshare f;
	unsigned int i;

	pghot_fair_init(&f, BUDGET, now);
	windows(&f, loads, 2, 3);
	clear(loads, 2);
	for (i = 0; i < 10; i++) {
		pghot_fair_charge(&f, 2, BUDGET / 4);
		windows(&f, loads, 2, 1);
	}
	CHECK(near(loads[0].sum, 10 * BUDGET / 2));
	CHECK(near(loads[1].sum, 10 * BUDGET / 4));
	CHECK(f.users[0].page_ns == 2000 && f.users[1].page_ns == 2000);
}

static void test_wait(void)
{
	struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	CHECK(pghot_fair_wait_ns(&f, now) == SECOND);
	CHECK(pghot_fair_wait_ns(&f, now + SECOND - 1) == 1);
	CHECK(pghot_fair_wait_ns(&f, now + SECOND) == 0);
	CHECK(pghot_fair_wait_ns(&f, now + 3 * SECOND / 2) == 0);
}

/*
 * Whatever is asked: in the mean no more is used than the budget, but for what was on its way
 * at the end; and shares are never more than the budget and as much that was saved.
 */
static void fuzz(uint64_t seed)
{
	struct { uint64_t key, taken, due; unsigned int nr; } on_way[64] = { 0 };
	struct random r = { seed };
	uint64_t budget = random_log(&r, SECOND / 100, 64 * SECOND);
	unsigned int users = random_log(&r, 1, 2 * FAIR_USERS), i, j;
	uint64_t used = 0, begin = now, largest = 0;
	struct fairshare f;

	pghot_fair_init(&f, budget, now);
	for (i = 0; i < 4000; i++) {
		uint64_t key = random_below(&r, users), windows;
		typeof(on_way[0]) *batch = &on_way[random_below(&r, 64)];
		int64_t shares = 0, over = 0, same = 0;

		now += random_log(&r, 1, random_once_in(&r, 50) ? 4 * SECOND : SECOND / 100);
		if (batch->nr) {
			uint64_t cost = batch->nr * random_log(&r, 100, 1000000);

			pghot_fair_settle(&f, batch->key, batch->taken, cost, batch->nr);
			used += cost;
			largest = cost > largest ? cost : largest;
			batch->nr = 0;
		}
		if (random_once_in(&r, 20)) {
			uint64_t cost = random_below(&r, budget / 100 + 1);

			fair_overhead(&f, cost);
			used += cost;
		}
		if (may_have(&f, key, budget)) {
			batch->key = key;
			batch->nr = random_log(&r, 1, 512);
			batch->taken = pghot_fair_take(&f, key, batch->nr);
		}
		CHECK(f.nr <= FAIR_USERS);
		for (j = 0; j < f.nr; j++) {
			shares += f.users[j].left;
			over -= f.users[j].left < 0 ? f.users[j].left : 0;
			same += f.users[j].key == key;
		}
		CHECK(same <= 1);
		CHECK(over == f.over);
		CHECK(shares + f.common <= 2 * (int64_t)budget + 64 * 512 * INT64_C(1000000));
		windows = (now - begin) / SECOND + 1;
		CHECK(used <= windows * budget + 65 * largest);
	}
}

static void test_an_earlier_time_changes_nothing(void)
{
	static struct fairshare f;

	pghot_fair_init(&f, BUDGET, now);
	while (may_have(&f, 1, BUDGET))
		pghot_fair_settle(&f, 1, pghot_fair_take(&f, 1, 1), BUDGET / 8, 1);
	CHECK(!pghot_fair_ask(&f, 1, BUDGET, f.start - 1));
	CHECK(f.nr == 1);
	CHECK(!pghot_fair_ask(&f, 1, BUDGET, now));
}

static void test_limit(void)
{
	struct limit limit = { .pages_per_s = 256, .start = now };
	uint64_t taken = 0, begin = now;
	struct random r = { 5 };
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		unsigned int nr = random_once_in(&r, 100) ? 512 : 1;

		now += random_below(&r, SECOND / 1000);
		if (!limit_ask(&limit, now))
			continue;
		limit_take(&limit, nr);
		taken += nr;
		CHECK(taken <= 256 * ((now - begin) / SECOND + 1) + 511);
	}
	CHECK(taken >= 256 * ((now - begin) / SECOND));
	/* A CPU that has read the clock before another one. */
	limit_take(&limit, 1000);
	CHECK(!limit_ask(&limit, limit.start - 1));
	limit.pages_per_s = 0;
	CHECK(!limit_ask(&limit, now));
	CHECK(!limit_ask(&limit, now + 1000000 * SECOND));
}

int main(void)
{
	uint64_t seed;

	test_alone();
	test_unused_is_saved();
	test_newcomer_gets_its_share();
	test_small_ones_get_what_they_want();
	test_many_greedy_ones();
	test_bursts_take_nothing_from_others();
	test_expensive_pages_are_paid_for();
	test_overhead_is_paid_for_by_all();
	test_idle_ones_are_forgotten();
	test_asking_alone_is_no_want();
	test_looks_are_charged();
	test_wait();
	test_an_earlier_time_changes_nothing();
	test_limit();
	for (seed = 0; seed < 300; seed++)
		fuzz(seed);
	return check_report();
}
