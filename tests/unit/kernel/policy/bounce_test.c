// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that go down and come up again: who is held back and for how long, what raises the bar,
 * and what lets it fall again.
 */
#include <string.h>

#include "check.h"
#include "random.h"
#include "policy/bounce.h"

#define MS	1000000ull
#define SECOND	(1000 * MS)
#define BEGIN	(1000 * SECOND)
#define PFN	0x123456ul

static struct bounce b;

static void begin(void)
{
	memset(&b, 0, sizeof(b));
	bounce_init(&b);
	b.looked = BEGIN;
}

/* A round of promotions, of which so many were demoted just before. Returns those counted. */
static unsigned int promote(unsigned int nr, unsigned int bounces, u64 now)
{
	unsigned int i, counted = 0;

	for (i = 0; i < nr; i++) {
		if (i < bounces)
			bounce_demoted(&b, PFN + i, now);
		counted += bounce_promoted(&b, i < bounces ? PFN + i : PFN + 100000 + i, now);
	}
	return counted;
}

static void test_demoted_pages_are_held_for_a_while(void)
{
	begin();
	CHECK(!bounce_holds(&b, PFN, BEGIN));
	bounce_demoted(&b, PFN, BEGIN);
	CHECK(bounce_holds(&b, PFN, BEGIN));
	CHECK(bounce_holds(&b, PFN, BEGIN + BOUNCE_HOLD_NS - 1));
	CHECK(!bounce_holds(&b, PFN, BEGIN + BOUNCE_HOLD_NS));
	CHECK(!bounce_holds(&b, PFN + 1, BEGIN));
	/* Clocks of CPUs may differ a little. */
	CHECK(bounce_holds(&b, PFN, BEGIN - 1));
	b.bar = 8;
	CHECK(bounce_holds(&b, PFN, BEGIN + 8 * BOUNCE_HOLD_NS - 1));
	CHECK(!bounce_holds(&b, PFN, BEGIN + 8 * BOUNCE_HOLD_NS));
}

static void test_places_that_nobody_has_hold_nothing(void)
{
	unsigned long pfn;

	begin();
	/* Soon after boot, and a page frame that an empty place could be taken for. */
	for (pfn = 0; pfn < 100000; pfn++)
		CHECK(!bounce_holds(&b, pfn, 0));
	CHECK(!bounce_promoted(&b, 0, 0));
}

static void test_last_of_a_place_is_kept(void)
{
	unsigned long other = PFN + 1;

	begin();
	while (hash_long(other, BOUNCE_BITS) != hash_long(PFN, BOUNCE_BITS))
		other++;
	bounce_demoted(&b, PFN, BEGIN);
	bounce_demoted(&b, other, BEGIN + 1);
	CHECK(!bounce_holds(&b, PFN, BEGIN + 1));
	CHECK(bounce_holds(&b, other, BEGIN + 1));
}

static void test_bounces_are_told_by_their_time(void)
{
	begin();
	bounce_demoted(&b, PFN, BEGIN);
	CHECK(bounce_promoted(&b, PFN, BEGIN + BOUNCE_NS - 1));
	CHECK(!bounce_promoted(&b, PFN, BEGIN + BOUNCE_NS));
	CHECK(!bounce_promoted(&b, PFN + 1, BEGIN));
	CHECK(b.promoted == 3 && b.bounced == 1);
}

static void test_many_bounces_raise_the_bar(void)
{
	unsigned int bar;

	begin();
	CHECK(bounce_bar(&b, BEGIN) == 1);
	/* It is looked at after so many promotions, not before. */
	CHECK(promote(BOUNCE_LOOK - 1, 400, BEGIN) == 400);
	CHECK(bounce_bar(&b, BEGIN) == 1);
	promote(1, 0, BEGIN);
	CHECK(bounce_bar(&b, BEGIN) == 2);
	for (bar = 4; bar <= BOUNCE_BAR_MAX; bar *= 2) {
		promote(BOUNCE_LOOK, BOUNCE_LOOK, BEGIN);
		CHECK(bounce_bar(&b, BEGIN) == bar);
	}
	promote(BOUNCE_LOOK, BOUNCE_LOOK, BEGIN);
	CHECK(bounce_bar(&b, BEGIN) == BOUNCE_BAR_MAX);
	/* One in eight is the share from which on it rises; with so many it falls. */
	promote(BOUNCE_LOOK, BOUNCE_LOOK / BOUNCE_SHARE, BEGIN);
	CHECK(bounce_bar(&b, BEGIN) == BOUNCE_BAR_MAX / 2);
	promote(BOUNCE_LOOK, BOUNCE_LOOK / BOUNCE_SHARE + 1, BEGIN);
	CHECK(bounce_bar(&b, BEGIN) == BOUNCE_BAR_MAX);
	for (bar = BOUNCE_BAR_MAX / 2; bar; bar /= 2) {
		promote(BOUNCE_LOOK, 0, BEGIN);
		CHECK(bounce_bar(&b, BEGIN) == bar);
	}
	promote(BOUNCE_LOOK, 0, BEGIN);
	CHECK(bounce_bar(&b, BEGIN) == 1);
}

static void test_bar_falls_while_nothing_is_promoted(void)
{
	u64 now = BEGIN;

	begin();
	promote(BOUNCE_LOOK, BOUNCE_LOOK, now);
	promote(BOUNCE_LOOK, BOUNCE_LOOK, now);
	CHECK(bounce_bar(&b, now + BOUNCE_REST_NS - 1) == 4);
	/* Each time that it rested so long, however often it is asked for. */
	now += BOUNCE_REST_NS;
	CHECK(bounce_bar(&b, now) == 2 && bounce_bar(&b, now) == 2);
	CHECK(bounce_bar(&b, now + BOUNCE_REST_NS - 1) == 2);
	now += BOUNCE_REST_NS;
	CHECK(bounce_bar(&b, now) == 1);
	CHECK(bounce_bar(&b, now + 100 * BOUNCE_REST_NS) == 1);
	/* A clock that is behind is no rest. */
	promote(BOUNCE_LOOK, BOUNCE_LOOK, now + 200 * BOUNCE_REST_NS);
	CHECK(bounce_bar(&b, now) == 2);
}

/*
 * Pages that are all used alike, where a swap is as good as another: one goes down for each that
 * comes up, and comes up again as soon as it is not held back. Returns the promotions in so long.
 */
static unsigned long swap_by_chance(struct random *r, unsigned long pages, u64 *now, u64 ns)
{
	unsigned long promoted = 0, tries = ns / (100000);

	while (tries--) {
		unsigned long up = 1 + random_below(r, pages), down = 1 + random_below(r, pages);

		*now += 100000;
		if (bounce_holds(&b, up, *now))
			continue;
		bounce_promoted(&b, up, *now);
		bounce_demoted(&b, down, *now);
		promoted++;
	}
	return promoted;
}

static void test_swaps_by_chance_raise_the_bar(void)
{
	struct random r = { .state = 1 };
	u64 now = BEGIN;

	begin();
	swap_by_chance(&r, 4000, &now, 10 * SECOND);
	CHECK(bounce_bar(&b, now) >= 8);
	CHECK(bounce_bar(&b, now + BOUNCE_REST_NS) >= 4);
	/* Among very many pages the same one hardly comes twice. */
	begin();
	now = BEGIN;
	swap_by_chance(&r, 100000000, &now, 10 * SECOND);
	CHECK(bounce_bar(&b, now) == 1);
}

int main(void)
{
	test_demoted_pages_are_held_for_a_while();
	test_places_that_nobody_has_hold_nothing();
	test_last_of_a_place_is_kept();
	test_bounces_are_told_by_their_time();
	test_many_bounces_raise_the_bar();
	test_bar_falls_while_nothing_is_promoted();
	test_swaps_by_chance_raise_the_bar();
	return check_report();
}
