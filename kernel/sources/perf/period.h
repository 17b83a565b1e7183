/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The sampling period of a CPU's counter
 *
 * The period follows what sampling costs on the CPU. The cost is proportional to the number of
 * samples, so one step leads to the bound if the load stays as it is. If the cost jumps up, the
 * period follows quickly. If the cost falls, the period follows slowly, and it stays as it is
 * while the cost is only a little below the bound.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_PERF_PERIOD_H
#define PGHOT_SOURCES_PERF_PERIOD_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Of IBS's counter, with its extension; others have wider ones. */
#define PERF_PERIOD_MAX		((1u << 27) - 16)
/* IBS counts in steps. */
#define PERF_PERIOD_STEP	16u

/* Factors are in parts of this. One step multiplies the period by no less than the second. */
#define PERF_PERIOD_ONE		1024u
#define PERF_PERIOD_LEAST	(PERF_PERIOD_ONE / 2)

/* A cost of more than so many times the bound counts as so many times the bound. */
#define PERF_PERIOD_BEYOND	16u

/**
 * perf_period_fit() - the next longer period that every counter can have
 * @period: any number
 *
 * Return: from 1 to PERF_PERIOD_MAX; from 16 on a multiple of 16.
 */
static inline u32 perf_period_fit(u64 period)
{
	if (period >= PERF_PERIOD_MAX)
		return PERF_PERIOD_MAX;
	if (period > PERF_PERIOD_STEP)
		period = (period + PERF_PERIOD_STEP - 1) & ~(u64)(PERF_PERIOD_STEP - 1);
	return period ?: 1;
}

/**
 * perf_period_next() - the period for the time to come
 * @period: the period until now, of perf_period_fit()
 * @lowest: the shortest that may be
 * @busy_ns: what sampling took of this CPU in that time, ns
 * @wall_ns: how long that time was, ns; up to 2^45
 * @permille: what it may take, of a thousand; at least 1
 *
 * Return: as perf_period_fit(), and not below @lowest.
 */
static inline u32 perf_period_next(u32 period, u32 lowest, u64 busy_ns, u64 wall_ns,
				   unsigned int permille)
{
	u64 bound = div_u64(wall_ns * permille, 1000) ?: 1;
	/* The aim is 7/8 of the bound, so that chance does not lead beyond the bound. */
	u64 factor = div64_u64(min(busy_ns, bound * PERF_PERIOD_BEYOND) * PERF_PERIOD_ONE * 8,
			       bound * 7);

	/* Both directions round up. Otherwise short periods would go up and down for ever. */
	if (busy_ns > bound)
		period = perf_period_fit(max(period * factor / PERF_PERIOD_ONE, (u64)period + 1));
	else if (busy_ns < bound / 4 * 3)
		period = perf_period_fit((period * max(factor, (u64)PERF_PERIOD_LEAST) +
					  PERF_PERIOD_ONE - 1) / PERF_PERIOD_ONE);
	return max(period, perf_period_fit(lowest));
}

#endif /* PGHOT_SOURCES_PERF_PERIOD_H */
