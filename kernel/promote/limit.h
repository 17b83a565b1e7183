/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: A limit of so many pages a second
 *
 * A large folio may take more than is left of a second. What it takes too much is taken off the
 * following seconds, so that the mean is never above the limit.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_PROMOTE_LIMIT_H
#define PGHOT_PROMOTE_LIMIT_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * struct limit - a limit, and what was taken of it
 * @pages_per_s: the limit; 0: nothing ever
 * @start: when the current second began, ns
 * @taken: pages taken in it, or owed from before
 */
struct limit {
	u64 pages_per_s;
	u64 start;
	u64 taken;
};

/**
 * limit_ask() - has this second something left?
 * @limit: the limit
 * @now: time, ns
 *
 * Any context; the caller serialises all calls for one limit.
 */
static inline bool limit_ask(struct limit *limit, u64 now)
{
	u64 seconds = div64_u64(max(now, limit->start) - limit->start, NSEC_PER_SEC);

	limit->start += seconds * NSEC_PER_SEC;
	/* Nobody owes as much as an hour's limit. More seconds could make the product wrap. */
	seconds = min_t(u64, seconds, 3600);
	limit->taken -= min(limit->taken, seconds * limit->pages_per_s);
	return limit->taken < limit->pages_per_s;
}

/**
 * limit_take() - take pages, after limit_ask() said yes
 * @limit: the limit
 * @nr: pages
 */
static inline void limit_take(struct limit *limit, unsigned int nr)
{
	limit->taken += nr;
}

#endif /* PGHOT_PROMOTE_LIMIT_H */
