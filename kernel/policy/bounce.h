/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Pages that go down and come up again
 *
 * What was demoted, and is hot soon after, should not have been demoted. Such a page is held
 * back for a while. If many promotions are of such pages, the choice of pages is no better than
 * chance, and a swap has to gain more than it costs: the bar goes up. It comes down again as
 * the share of such promotions does.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_BOUNCE_H
#define PGHOT_POLICY_BOUNCE_H

#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Demoted folios that are remembered, as a power of two. */
#define BOUNCE_BITS	13
/* A promotion within this time after the demotion is a bounce, ns. */
#define BOUNCE_NS	(2ull * NSEC_PER_SEC)
/* For how long a demoted page is held back while the bar is 1, ns. */
#define BOUNCE_HOLD_NS	(100ull * NSEC_PER_MSEC)
/* The bar at most. */
#define BOUNCE_BAR_MAX	16u
/* The bar goes up if one promotion in so many is a bounce, and is looked at after so many. */
#define BOUNCE_SHARE	8u
#define BOUNCE_LOOK	512u
/* Without so many promotions in this time it comes down as well, ns. */
#define BOUNCE_REST_NS	(4ull * NSEC_PER_SEC)

/**
 * struct bounce_page - a folio that was demoted
 * @pfn: where it went; 0 for none
 * @when: when, by pghot_clock()
 */
struct bounce_page {
	unsigned long pfn;
	u64 when;
};

/**
 * struct bounce - the last demotions, and how many of them were in vain
 * @page: by a hash of the page frame number; the last one of a place is kept
 * @promoted: folios promoted since the bar was looked at
 * @bounced: of these, folios that had been demoted just before
 * @bar: how many times its cost a swap has to gain
 * @looked: when the bar was looked at, by pghot_clock()
 */
struct bounce {
	struct bounce_page page[1 << BOUNCE_BITS];
	unsigned int promoted;
	unsigned int bounced;
	unsigned int bar;
	u64 looked;
};

/**
 * bounce_init() - nothing was demoted yet
 * @b: zero before
 */
static inline void bounce_init(struct bounce *b)
{
	b->bar = 1;
}

/**
 * bounce_demoted() - a folio is demoted
 * @b: the last demotions
 * @pfn: where it goes
 * @now: the time, ns
 */
static inline void bounce_demoted(struct bounce *b, unsigned long pfn, u64 now)
{
	b->page[hash_long(pfn, BOUNCE_BITS)] = (struct bounce_page){ .pfn = pfn, .when = now };
}

/* How long ago it was demoted, ns; U64_MAX if that is not remembered. */
static inline u64 bounce_ago(const struct bounce *b, unsigned long pfn, u64 now)
{
	const struct bounce_page *page = &b->page[hash_long(pfn, BOUNCE_BITS)];

	return pfn && page->pfn == pfn ? now - min(now, page->when) : U64_MAX;
}

/**
 * bounce_holds() - is this page to be held back?
 * @b: the last demotions
 * @pfn: the page
 * @now: the time, ns
 */
static inline bool bounce_holds(const struct bounce *b, unsigned long pfn, u64 now)
{
	return bounce_ago(b, pfn, now) < BOUNCE_HOLD_NS * b->bar;
}

static inline void bounce_set_bar(struct bounce *b, bool higher, u64 now)
{
	b->bar = higher ? min(b->bar * 2, BOUNCE_BAR_MAX) : max(b->bar / 2, 1u);
	b->promoted = 0;
	b->bounced = 0;
	b->looked = now;
}

/**
 * bounce_promoted() - a folio is promoted
 * @b: the last demotions
 * @pfn: where it was
 * @now: the time, ns
 *
 * Return: it had been demoted just before.
 */
static inline bool bounce_promoted(struct bounce *b, unsigned long pfn, u64 now)
{
	bool bounced = bounce_ago(b, pfn, now) < BOUNCE_NS;

	b->promoted++;
	b->bounced += bounced;
	if (b->promoted >= BOUNCE_LOOK)
		bounce_set_bar(b, b->bounced * BOUNCE_SHARE > b->promoted, now);
	return bounced;
}

/**
 * bounce_bar() - how many times its cost a swap has to gain now
 * @b: the last demotions
 * @now: the time, ns
 */
static inline unsigned int bounce_bar(struct bounce *b, u64 now)
{
	if (now - min(now, b->looked) >= BOUNCE_REST_NS)
		bounce_set_bar(b, false, now);
	return b->bar;
}

#endif /* PGHOT_POLICY_BOUNCE_H */
