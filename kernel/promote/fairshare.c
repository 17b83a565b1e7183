// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Fair shares of CPU time
 *
 * This is the rule that fairshare.h explains.
 */
#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "promote/fairshare.h"

/* A window, ns. */
#define WINDOW		((u64)NSEC_PER_SEC)
/* After so many windows in which nobody asked, everything is forgotten, also debts. */
#define FORGET		60
/* A new cost counts for one of so many parts of a mean, and the mean before for the others. */
#define MEAN_PARTS	4

static s64 over(const struct fair_user *user)
{
	return max_t(s64, -user->left, 0);
}

/* Adds to what is left of a user's share. */
static void add(struct fairshare *f, struct fair_user *user, s64 time)
{
	f->over -= over(user);
	user->left += time;
	f->over += over(user);
}

/* What was set aside for users, and not used by them. */
static s64 unused(const struct fairshare *f)
{
	s64 sum = 0;
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		sum += max_t(s64, f->users[i].left, 0);
	return sum;
}

/*
 * What users have taken beyond their shares is paid out of what nobody has used. If that is too
 * little, all of them owe the same fraction of what they took. It stays in @left as a debt.
 *
 * Returns what is left then; negative if deciding has cost more than that.
 */
static s64 pay(struct fairshare *f)
{
	s64 rest = f->common + unused(f), paid = min(f->over, max_t(s64, rest, 0));
	u64 parts = f->over ? div64_u64((u64)paid << 10, f->over) : 0;
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		struct fair_user *user = &f->users[i];

		add(f, user, -max_t(s64, user->left, 0));
		add(f, user, over(user) * parts >> 10);
	}
	return rest - paid;
}

static u16 *first_of(struct fairshare *f, u64 key)
{
	return &f->first[hash_long(key, FAIR_HASH_BITS)];
}

/* Has the user in this place found by its hash. */
static void link(struct fairshare *f, unsigned int i)
{
	u16 *first = first_of(f, f->users[i].key);

	f->users[i].next = *first;
	*first = i + 1;
}

/* Drops users who neither wanted anything in this window nor owe anything. */
static void drop_idle(struct fairshare *f)
{
	unsigned int i = 0;

	while (i < f->nr) {
		struct fair_user *user = &f->users[i];

		if (user->used || user->refused || user->left)
			i++;
		else
			*user = f->users[--f->nr];
	}
	memset(f->first, 0, sizeof(f->first));
	for (i = 0; i < f->nr; i++)
		link(f, i);
}

/* What a user is expected to want of the next window, its debt included. */
static u64 want(const struct fair_user *user, u64 budget)
{
	return user->refused ? budget : min(user->used + over(user), budget);
}

/*
 * The most that anybody gets. Those who want less than an equal part of what is left get what
 * they want, which leaves more to the others, until nobody else wants less.
 */
static u64 water_level(const struct fairshare *f, u64 budget)
{
	u64 level = 0, next = div_u64(budget, max(f->nr, 1u));

	while (next > level) {
		u64 left = budget;
		unsigned int i, nr = 0;

		level = next;
		for (i = 0; i < f->nr; i++) {
			if (want(&f->users[i], budget) <= level)
				left -= want(&f->users[i], budget);
			else
				nr++;
		}
		next = nr ? div_u64(left, nr) : budget;
	}
	return level;
}

/* Begins the next window. */
static void roll(struct fairshare *f, u64 budget)
{
	s64 saved = min_t(s64, pay(f), budget);
	unsigned int i;
	u64 level;

	drop_idle(f);
	f->common = (s64)budget + saved;
	budget = max_t(s64, f->common, 0);
	level = water_level(f, budget);
	for (i = 0; i < f->nr; i++) {
		struct fair_user *user = &f->users[i];
		u64 share = min(want(user, budget), level);

		add(f, user, share);
		f->common -= share;
		user->used = 0;
		user->refused = false;
	}
}

static void roll_until(struct fairshare *f, u64 budget, u64 now)
{
	/* The clock may be read a little late, or early, by different CPUs. */
	u64 windows = div64_u64(max(now, f->start) - f->start, WINDOW);

	if (windows > FORGET) {
		pghot_fair_init(f, budget, now);
		/* Nobody has used the window before this one. */
		roll(f, budget);
		return;
	}
	f->start += windows * WINDOW;
	while (windows--)
		roll(f, budget);
}

/* The user of a key. If all places are taken, the user in the last place stands for it. */
static struct fair_user *find(struct fairshare *f, u64 key)
{
	unsigned int i;

	for (i = *first_of(f, key); i; i = f->users[i - 1].next) {
		if (f->users[i - 1].key == key)
			return &f->users[i - 1];
	}
	if (f->nr == FAIR_USERS)
		return &f->users[FAIR_USERS - 1];
	i = f->nr++;
	f->users[i] = (struct fair_user){ .key = key, .page_ns = f->page_ns };
	link(f, i);
	return &f->users[i];
}

static void mean_add(u64 *mean, u64 value)
{
	*mean = max_t(u64, div_u64(*mean * (MEAN_PARTS - 1) + value, MEAN_PARTS), 1);
}

/**
 * pghot_fair_init() - a budget that nobody has used
 * @f: the budget
 * @budget: CPU time of a window, ns
 * @now: time, ns, of the clock that the requests will use
 */
void pghot_fair_init(struct fairshare *f, u64 budget, u64 now)
{
	f->start = now;
	f->common = budget;
	f->over = 0;
	f->page_ns = FAIR_PAGE_NS;
	f->nr = 0;
	memset(f->first, 0, sizeof(f->first));
}

/**
 * pghot_fair_ask() - may this user have CPU time in this window?
 * @f: the budget
 * @key: the user
 * @budget: CPU time of a window, ns; a change counts from the next window on
 * @now: time, ns
 *
 * Any context; the caller serialises all calls for one budget.
 *
 * Return: false if it has used its share, and the common part is used up, too. The caller says
 * pghot_fair_refuse() then, if the user would have used the time.
 */
bool pghot_fair_ask(struct fairshare *f, u64 key, u64 budget, u64 now)
{
	struct fair_user *user;

	roll_until(f, budget, now);
	user = find(f, key);
	return user->left > 0 || f->common > f->over;
}

/**
 * pghot_fair_refuse() - a user wanted CPU time, and pghot_fair_ask() has said no
 * @f: the budget
 * @key: the user
 *
 * As pghot_fair_ask(). It counts as wanting everything in the next window.
 */
void pghot_fair_refuse(struct fairshare *f, u64 key)
{
	find(f, key)->refused = true;
}

/**
 * pghot_fair_is_refused() - did this user want more than it had in this window?
 * @f: the budget
 * @key: the user
 *
 * As pghot_fair_ask().
 *
 * Return: true if pghot_fair_refuse() was said of it since the window began.
 */
bool pghot_fair_is_refused(struct fairshare *f, u64 key)
{
	return find(f, key)->refused;
}

/**
 * pghot_fair_take() - take CPU time for pages, ahead
 * @f: the budget
 * @key: the user, for whom pghot_fair_ask() has said yes
 * @nr: pages
 *
 * As pghot_fair_ask().
 *
 * Return: ns taken, for pghot_fair_settle().
 */
u64 pghot_fair_take(struct fairshare *f, u64 key, unsigned int nr)
{
	struct fair_user *user = find(f, key);
	u64 taken = user->page_ns * nr;

	user->used += taken;
	add(f, user, -(s64)taken);
	return taken;
}

/**
 * pghot_fair_settle() - what pages have cost
 * @f: the budget
 * @key: the user
 * @taken: what was taken ahead, ns
 * @cost: CPU time used, ns
 * @nr: pages, at least one
 *
 * As pghot_fair_ask().
 */
void pghot_fair_settle(struct fairshare *f, u64 key, u64 taken, u64 cost, unsigned int nr)
{
	struct fair_user *user = find(f, key);

	add(f, user, (s64)(taken - cost));
	/* Time that was taken in the window before does not count as used in this one. */
	user->used = max_t(s64, user->used + cost - taken, 0);
	mean_add(&user->page_ns, div_u64(cost, nr));
	mean_add(&f->page_ns, div_u64(cost, nr));
}

/**
 * pghot_fair_charge() - CPU time that was used for a user, but for no page in particular
 * @f: the budget
 * @key: the user
 * @cost: CPU time used, ns
 *
 * As pghot_fair_ask(). What a page costs stays as it is.
 */
void pghot_fair_charge(struct fairshare *f, u64 key, u64 cost)
{
	struct fair_user *user = find(f, key);

	user->used += cost;
	add(f, user, -(s64)cost);
}

/**
 * pghot_fair_wait_ns() - when to ask again
 * @f: the budget
 * @now: time, ns
 *
 * Return: ns until the next window begins.
 */
u64 pghot_fair_wait_ns(const struct fairshare *f, u64 now)
{
	u64 since = now - f->start;

	return since < WINDOW ? WINDOW - since : 0;
}
