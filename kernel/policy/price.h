/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How many pages go down for one that comes up
 *
 * Idle pages are demoted so that hot ones find room. While programs ask for new memory, that takes
 * a part of this room. Then several pages have to go down until one has come up, and a swap costs
 * that many times as much. It is looked at what has become of the last room that was made.
 *
 * While no swap pays nobody makes room, so that nothing new is learned. So the price falls by
 * itself, and it is tried again.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_PRICE_H
#define PGHOT_POLICY_PRICE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/* More do not count. */
#define PRICE_MAX	16u
/* It falls to a half in this time, ns. */
#define PRICE_FADE_NS	NSEC_PER_SEC

/**
 * struct price - how many pages went down for one that came up
 * @pages: so many, at least 1
 * @when: when that was known, by pghot_clock()
 */
struct price {
	unsigned int pages;
	u64 when;
};

/**
 * price_set() - it is known what has become of the room that was made
 * @price: to be filled in
 * @made: pages that were demoted, at least 1
 * @taken: of these, what others took; it may be negative, as others give back as well
 * @now: pghot_clock()
 */
static inline void price_set(struct price *price, long made, long taken, u64 now)
{
	price->pages = clamp(made / max(made - taken, 1l), 1l, (long)PRICE_MAX);
	price->when = now;
}

/**
 * price_get() - how many pages go down for one that comes up
 * @price: what is known; zeroed if nothing is
 * @now: pghot_clock()
 *
 * Return: 1 to PRICE_MAX.
 */
static inline unsigned int price_get(const struct price *price, u64 now)
{
	u64 halves = div_u64(now - price->when, PRICE_FADE_NS);

	return halves < 32 ? max(price->pages >> halves, 1u) : 1;
}

#endif /* PGHOT_POLICY_PRICE_H */
