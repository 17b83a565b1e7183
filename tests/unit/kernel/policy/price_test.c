// SPDX-License-Identifier: GPL-2.0
/*
 * How many pages go down for one that comes up.
 */
#include "check.h"
#include "policy/price.h"

static const u64 now = 7 * NSEC_PER_SEC;

/* The price when so much was made, and others took some. */
static unsigned int price_of(long made, long taken)
{
	struct price price = { };

	price_set(&price, made, taken, now);
	return price_get(&price, now);
}

static void test_it_is_what_was_made_for_what_was_used(void)
{
	CHECK(price_of(256, 0) == 1);
	CHECK(price_of(256, 127) == 1);
	CHECK(price_of(256, 128) == 2);
	CHECK(price_of(256, 192) == 4);
	CHECK(price_of(256, 255) == PRICE_MAX);
	CHECK(price_of(256, 256) == PRICE_MAX);
	/* Others gave back, or took more than was made. */
	CHECK(price_of(256, -1000) == 1);
	CHECK(price_of(256, 1000) == PRICE_MAX);
	CHECK(price_of(1, 1) == 1);
}

static void test_it_falls_by_itself(void)
{
	struct price price = { };
	unsigned int i;

	price_set(&price, 1600, 1500, now);
	for (i = 0; i <= 4; i++) {
		CHECK(price_get(&price, now + i * PRICE_FADE_NS) == PRICE_MAX >> i);
		CHECK(price_get(&price, now + (i + 1) * PRICE_FADE_NS - 1) == PRICE_MAX >> i);
	}
	CHECK(price_get(&price, now + 5 * PRICE_FADE_NS) == 1);
	CHECK(price_get(&price, now + 1000 * PRICE_FADE_NS) == 1);
}

static void test_what_is_known_last_counts(void)
{
	struct price price = { };

	CHECK(price_get(&price, 0) == 1 && price_get(&price, ~0ull) == 1);
	price_set(&price, 1600, 1500, now);
	price_set(&price, 1600, 800, now + 1);
	CHECK(price_get(&price, now + 1) == 2);
	price_set(&price, 1600, 0, now + 2);
	CHECK(price_get(&price, now + 2) == 1);
}

int main(void)
{
	test_it_is_what_was_made_for_what_was_used();
	test_it_falls_by_itself();
	test_what_is_known_last_counts();
	return check_report();
}
