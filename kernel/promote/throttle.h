/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The throttle
 *
 * It says how much may be promoted to one target node, and how hot it must be. It is the rule of
 * the kernel's own tiering mode, as of 6.12 (kernel/sched/fair.c), and gives the same verdicts for
 * the same requests.
 *
 *   - A target with enough free space takes everything. Nothing is counted then, and the hot
 *     threshold falls back to the reference (should_numa_migrate_memory()).
 *   - Otherwise a page is hot if its age is below the hot threshold. The hot pages are the
 *     candidates.
 *   - A window lasts a second. It opens with the first candidate after the last window has run
 *     out. That candidate is not charged. Of the later ones those are granted that keep the
 *     sum below the rate (numa_promotion_rate_limit()). So one window grants less than the
 *     rate and the candidate that opened it together.
 *   - The hot threshold is tuned so that the number of candidates comes near the rate. Once in
 *     a tuning period it moves by one unit, which is an eighth of the reference. It goes down,
 *     but not below one unit, if there were more than 110 % of what the rate allows for the
 *     period. It goes up, but not above twice the reference, if there were less than 90 %
 *     (numa_promotion_adjust_threshold()).
 *
 * One thing is added: a page that the rate has refused may wait and ask again. It is marked as
 * counted then. It uses the rate of the second in which it asks, but it is not counted as a
 * candidate again. Otherwise a queue of waiting pages would look like more and more hot pages, and
 * would drive the threshold down.
 *
 * One thing is left out: the kernel subtracts the unit without looking at the sign. If the
 * reference is raised at the wrong moment, its threshold becomes a very large number, so that
 * every page is hot. Here the threshold stops at one unit.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_PROMOTE_THROTTLE_H
#define PGHOT_PROMOTE_THROTTLE_H

#include <linux/types.h>

/**
 * struct throttle - what the throttle knows of one target node
 * @candidates: candidates so far, pages
 * @tune_candidates: of these, before the current tuning period
 * @spent: pages asked for in the current second, but for the request that opened it
 * @second_start: when that second began, ms
 * @tune_start: when the current tuning period began, ms
 * @threshold_ms: hot threshold, ms; 0 for the reference
 *
 * All zero is a throttle that started at time 0, as the kernel's own does: asked for
 * the first time later than a tuning period from there, it goes one unit up.
 */
struct throttle {
	u64 candidates;
	u64 tune_candidates;
	u64 spent;
	unsigned int second_start;
	unsigned int tune_start;
	unsigned int threshold_ms;
};

/**
 * struct throttle_limits - what the administrator wants
 * @reference_ms: hot threshold to start from, ms; at least 8, to have a unit
 * @pages_per_s: promotion rate, base pages a second
 * @tune_ms: tuning period, ms
 *
 * They may differ from call to call.
 */
struct throttle_limits {
	unsigned int reference_ms;
	unsigned long pages_per_s;
	unsigned int tune_ms;
};

/**
 * struct throttle_page - one request: a folio that is to be promoted
 * @now_ms: time, ms of any clock that does not run backwards; it may wrap
 * @age_ms: time since the last access, ms
 * @nr: size of the folio, base pages
 * @roomy: the target has enough free space
 * @counted: the folio was refused with THROTTLE_RATE before, and waits since
 */
struct throttle_page {
	unsigned int now_ms;
	unsigned int age_ms;
	unsigned int nr;
	bool roomy;
	bool counted;
};

/**
 * enum throttle_verdict - the answer
 * @THROTTLE_GO: promote it
 * @THROTTLE_COLD: not hot enough
 * @THROTTLE_RATE: hot, but not in this second
 */
enum throttle_verdict {
	THROTTLE_GO,
	THROTTLE_COLD,
	THROTTLE_RATE,
};

void pghot_throttle_init(struct throttle *t, unsigned int now_ms);
enum throttle_verdict pghot_throttle_ask(struct throttle *t, const struct throttle_limits *l,
					 const struct throttle_page *p);
void pghot_throttle_return(struct throttle *t, unsigned int nr);

/**
 * throttle_threshold_ms() - the hot threshold in force
 * @t: the throttle
 * @l: the limits
 *
 * Return: ms; what is younger is hot.
 */
static inline unsigned int throttle_threshold_ms(const struct throttle *t,
						 const struct throttle_limits *l)
{
	return t->threshold_ms ? t->threshold_ms : l->reference_ms;
}

/**
 * throttle_candidates() - hot pages that asked, granted or not
 * @t: the throttle
 *
 * Return: base pages since the start.
 */
static inline u64 throttle_candidates(const struct throttle *t)
{
	return t->candidates;
}

#endif /* PGHOT_PROMOTE_THROTTLE_H */
