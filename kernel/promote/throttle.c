// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The rate limit and the hot threshold
 *
 * This is the rule that throttle.h explains.
 */
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "promote/throttle.h"

/* Units between 0 and the highest threshold, twice the reference. */
#define STEPS	16

/* Moves the threshold if a tuning period is over. */
static void tune(struct throttle *t, const struct throttle_limits *l, unsigned int now_ms)
{
	unsigned int highest = 2 * l->reference_ms;
	unsigned int unit = highest / STEPS;
	unsigned int threshold = throttle_threshold_ms(t, l);
	u64 expected, seen;

	if (now_ms - t->tune_start <= l->tune_ms)
		return;

	expected = div_u64((u64)l->pages_per_s * l->tune_ms, MSEC_PER_SEC);
	seen = t->candidates - t->tune_candidates;
	if (seen > div_u64(expected * 11, 10))
		threshold = max(threshold, 2 * unit) - unit;
	else if (seen < div_u64(expected * 9, 10))
		threshold = min(threshold + unit, highest);

	t->threshold_ms = threshold;
	t->tune_candidates = t->candidates;
	t->tune_start = now_ms;
}

/* Has the current second something left for a request? */
static bool spend(struct throttle *t, const struct throttle_limits *l,
		  const struct throttle_page *p)
{
	if (p->now_ms - t->second_start > MSEC_PER_SEC) {
		WRITE_ONCE(t->second_start, p->now_ms);
		t->spent = 0;
	} else {
		t->spent += p->nr;
	}
	return t->spent < l->pages_per_s;
}

/**
 * pghot_throttle_init() - start from the reference threshold
 * @t: the throttle
 * @now_ms: time, ms, of the clock that the requests will use
 *
 * The first tuning period begins now, as the kernel's does when its tiering mode is
 * switched on.
 */
void pghot_throttle_init(struct throttle *t, unsigned int now_ms)
{
	*t = (struct throttle){
		.tune_start = now_ms,
		/* This window has run out already, so the first candidate opens another. */
		.second_start = now_ms - MSEC_PER_SEC - 1,
	};
}

/**
 * pghot_throttle_ask() - may a page be promoted?
 * @t: the throttle of the target node
 * @l: the limits in force
 * @p: the page, and the time
 *
 * Any context; the caller serialises the calls for one throttle.
 *
 * Return: the verdict. After THROTTLE_RATE the caller may ask for the same page
 * again, marked as counted; it is THROTTLE_COLD if its age has reached the threshold
 * meanwhile.
 */
enum throttle_verdict pghot_throttle_ask(struct throttle *t, const struct throttle_limits *l,
					 const struct throttle_page *p)
{
	if (p->roomy) {
		t->threshold_ms = 0;
		return THROTTLE_GO;
	}

	tune(t, l, p->now_ms);
	if (p->age_ms >= throttle_threshold_ms(t, l))
		return THROTTLE_COLD;

	if (!p->counted)
		t->candidates += p->nr;
	return spend(t, l, p) ? THROTTLE_GO : THROTTLE_RATE;
}

/**
 * pghot_throttle_return() - give back what THROTTLE_GO granted
 * @t: the throttle of the target node
 * @nr: size of the folio, base pages
 *
 * This is for a page that could not be taken after all. It stays a candidate, so the caller has to
 * mark it as counted. Some pages are not charged: the one that opens a window, and those that go to
 * a target with enough free space. For such a page, too, @nr pages are given back. So the window
 * may grant that many more, but the sum never falls below zero.
 *
 * Any context; the caller serialises the calls for one throttle.
 */
void pghot_throttle_return(struct throttle *t, unsigned int nr)
{
	t->spent -= min_t(u64, t->spent, nr);
}
