/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Pauses between rounds of ageing
 *
 * How long the thread that ages slow nodes pauses after a round.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_MGLRU_PAUSE_H
#define PGHOT_SOURCES_MGLRU_PAUSE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "core/share.h"

/*
 * Between two rounds of ageing, ms: at least, and at most; in between it is an eighth of
 * the time since a round found something to report. What is in no use makes a round dear:
 * the kernel moves each folio of the oldest generation on to the next.
 */
#define AGING_PAUSE_MIN		200
#define AGING_PAUSE_MAX		4000
#define AGING_PAUSE_PART	8
/* After a round that met something new. */
#define AGING_PAUSE_NEW		500
/*
 * After a round that met nothing again: so many times as long as it took, however long that is.
 * With much memory that nobody uses, it has held up reclaim and others for nothing: the kernel
 * moves up to 4096 folios with interrupts off each time that it takes the list's lock.
 */
#define AGING_EMPTY_REST	8

/**
 * struct aging_round - what a round of ageing came to
 * @begin: when it began, ns
 * @used: CPU time that it took, ns
 * @aged: some node was aged; else there was nothing to do, and the rest here is 0
 * @met: a folio was met
 * @again: a folio was met that a round before had met, too
 */
struct aging_round {
	u64 begin;
	u64 used;
	bool aged;
	bool met;
	bool again;
};

/**
 * aging_pause_ms() - how long to pause after a round
 * @found: when the last round began that met something again, or from when on pauses grow, ns;
 *	brought up to date
 * @round: the round
 * @percent: what ageing may use of one CPU, %
 *
 * Return: ms.
 */
static inline u64 aging_pause_ms(u64 *found, const struct aging_round *round, unsigned int percent)
{
	const u64 fresh = min(round->begin,
			      (u64)AGING_PAUSE_PART * AGING_PAUSE_NEW * NSEC_PER_MSEC);
	u64 pause, rest;

	if (round->again)
		*found = round->begin;
	else if (!round->aged || round->met)
		*found = max(*found, round->begin - fresh);
	pause = div_u64(round->begin - *found, AGING_PAUSE_PART * NSEC_PER_MSEC);
	pause = clamp(pause, (u64)AGING_PAUSE_MIN, (u64)AGING_PAUSE_MAX);
	if (!round->aged)
		return pause;

	rest = share_rest_ns(round->used, percent, 1);
	if (!round->again)
		rest = max(rest, round->used * AGING_EMPTY_REST);
	return max(pause, div_u64(rest, NSEC_PER_MSEC));
}

#endif /* PGHOT_SOURCES_MGLRU_PAUSE_H */
