// SPDX-License-Identifier: GPL-2.0
/*
 * Users of a budget of CPU time, who ask, take and pay in any order. What all have used together
 * keeps to the budget, but for one piece of work that each of them may owe.
 */
#include "fuzz.h"
#include "promote/fairshare.c"

#define KEYS_MAX	100
#define PAGES_MAX	8192
/* What a page and what a piece of work may cost, ns. */
#define PAGE_NS_MAX	100000
#define PIECE_MAX	((u64)PAGES_MAX * PAGE_NS_MAX)
#define BUDGET_MAX	(1024 * WINDOW)

static struct fairshare fair;
static u64 begin, now, budget, used;
static unsigned int nr_keys;

static void check(void)
{
	const u64 windows = (now - begin) / WINDOW + 2;
	const u64 owed = (min(nr_keys, FAIR_USERS) + 2) * PIECE_MAX;
	unsigned int i;

	assert(used <= windows * budget + owed);
	assert(fair.start <= now && pghot_fair_wait_ns(&fair, now) <= WINDOW);
	assert(fair.nr <= FAIR_USERS);
	assert(fair.page_ns && fair.page_ns <= PAGE_NS_MAX);
	assert(fair.common <= (s64)(2 * budget));
	for (i = 0; i < fair.nr; i++) {
		const struct fair_user *user = &fair.users[i];

		assert(user->page_ns && user->page_ns <= PAGE_NS_MAX);
		assert(user->left <= (s64)(2 * budget + owed));
		assert(user->left >= -(s64)(2 * budget + owed));
	}
}

static void check_keys(void)
{
	unsigned int i, j;

	for (i = 0; i < fair.nr; i++)
		for (j = 0; j < i; j++)
			assert(fair.users[i].key != fair.users[j].key);
}

/* After a long time all is forgotten, also what was used. */
static void pass_time(struct input *in)
{
	now += input_sized(in, 2 * FORGET * WINDOW);
	if ((now - fair.start) / WINDOW > FORGET) {
		begin = now;
		used = 0;
	}
}

/* One request, read before anybody decides on it. */
struct request {
	u64 key;
	unsigned int nr;
	u64 cost;
	bool charges;
	bool waits;
};

static struct request input_request(struct input *in)
{
	struct request r = { .key = input_upto(in, nr_keys - 1) };
	u8 kind = input_u8(in);

	r.nr = 1 + input_upto(in, PAGES_MAX - 1);
	r.cost = (u64)r.nr * (PAGE_NS_MAX / 100) * input_upto(in, 100);
	r.charges = kind < 64;
	r.waits = kind >= 192;
	return r;
}

/* Takes time ahead, and says afterwards what it was. */
static void work(struct input *in, const struct request *r)
{
	u64 taken = pghot_fair_take(&fair, r->key, r->nr);

	/* Others may ask meanwhile. */
	if (r->waits) {
		pass_time(in);
		pghot_fair_ask(&fair, input_upto(in, nr_keys - 1), budget, now);
	}
	pghot_fair_settle(&fair, r->key, taken, r->cost, r->nr);
}

static void ask(struct input *in)
{
	const struct request r = input_request(in);

	if (!pghot_fair_ask(&fair, r.key, budget, now)) {
		pghot_fair_refuse(&fair, r.key);
		assert(pghot_fair_is_refused(&fair, r.key));
		return;
	}
	if (r.charges)
		pghot_fair_charge(&fair, r.key, r.cost);
	else
		work(in, &r);
	used += r.cost;
}

/* More users than there are places for. */
static void ask_all(void)
{
	u64 key;

	for (key = 0; key < nr_keys; key++) {
		if (pghot_fair_ask(&fair, key, budget, now)) {
			pghot_fair_charge(&fair, key, 1);
			used++;
		}
	}
}

void fuzz_one(struct input *in)
{
	begin = input_sized(in, 1ull << 62);
	now = begin;
	used = 0;
	budget = input_sized(in, BUDGET_MAX);
	nr_keys = 1 + input_upto(in, KEYS_MAX - 1);
	pghot_fair_init(&fair, budget, now);
	while (in->left) {
		pass_time(in);
		if (input_u8(in) < 4)
			ask_all();
		else
			ask(in);
		fair_overhead(&fair, input_u16(in));
		check();
	}
	check_keys();
}
