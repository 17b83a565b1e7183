/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hotness record of default mode: one byte for a page of slow memory.
 *
 *	bits 0-1  frequency: accesses seen in the current window, saturating at 3
 *	bits 2-6  time of the last access, in buckets, modulo 32
 *	bit  7    ready: the page qualified and waits for kmigrated
 *
 * A record of zero says that nothing is known of the page.
 *
 * Time is cut into buckets of 2^27 ns (134 ms) of the monotonic clock, so the
 * five bits span 4.3 s on every kernel, whatever its HZ. Five bits alone can not
 * tell an access of 1 s ago from one of 5.3 s ago. Therefore every line of
 * PGHOT_LINE records carries the full time at which it was last aged:
 *
 *   - ageing a line at time a zeroes the records older than PGHOT_KEEP, so that
 *     every record left is at most PGHOT_KEEP buckets old at a;
 *   - a line is used without ageing it again only until a + PGHOT_SLACK, so that
 *     no record is ever older than PGHOT_KEEP + PGHOT_SLACK = 30 buckets when it
 *     is read, and the five bits are exact. The value left over stands for the next
 *     bucket, which another CPU may have written already.
 *
 * A stale record thus never looks fresh, however long nobody looked at it, and
 * neither a timer nor a pass over installed memory is needed for that: whoever
 * touches a line ages it first, 64 records in one cache line.
 *
 * Nothing here knows kernel state: the same file is tested and measured in user
 * space.
 */
#ifndef PGHOT_RECORD_DEFAULT_H
#define PGHOT_RECORD_DEFAULT_H

#include <linux/minmax.h>
#include <linux/types.h>

#define PGHOT_FREQ_MASK		0x03u
#define PGHOT_FREQ_MAX		3u
#define PGHOT_TIME_SHIFT	2
#define PGHOT_TIME_MASK		0x1fu
#define PGHOT_READY		0x80u

/* Nanoseconds to buckets, as a shift. */
#define PGHOT_BUCKET_SHIFT	27
/* The longest window, buckets (3.9 s), and how long an aged line stays exact. */
#define PGHOT_KEEP		29u
#define PGHOT_SLACK		(PGHOT_TIME_MASK - 1 - PGHOT_KEEP)

/* Records that are aged together: one cache line. */
#define PGHOT_LINE		64u

/**
 * pghot_bucket() - time as records keep it
 * @ns: monotonic time, ns
 *
 * Return: full time in buckets. The 32 bits wrap after 18 years of uptime.
 */
static inline u32 pghot_bucket(u64 ns)
{
	return (u32)(ns >> PGHOT_BUCKET_SHIFT);
}

static inline unsigned int pghot_rec_freq(u8 rec)
{
	return rec & PGHOT_FREQ_MASK;
}

static inline bool pghot_rec_ready(u8 rec)
{
	return rec & PGHOT_READY;
}

/**
 * pghot_rec_age() - buckets since the last access of a record
 * @rec: a record that is not zero
 * @now: full time, buckets
 *
 * Right only in a line that pghot_line_exact() vouches for at @now.
 *
 * Return: 0 to 30; 0 as well for an access in the bucket after @now.
 */
static inline u32 pghot_rec_age(u8 rec, u32 now)
{
	u32 since = (now + 1 - (rec >> PGHOT_TIME_SHIFT)) & PGHOT_TIME_MASK;

	return since ? since - 1 : 0;
}

/**
 * pghot_rec_touch() - the record after one more access
 * @old: record before, zero for none
 * @now: full time of the access, buckets
 * @window: accesses at most this far apart, in buckets, belong together
 * @threshold: frequency at which a page is ready, 1 to PGHOT_FREQ_MAX
 *
 * An access outside the window starts counting again, and readiness is judged
 * anew with it.
 */
static inline u8 pghot_rec_touch(u8 old, u32 now, u32 window, unsigned int threshold)
{
	unsigned int freq = 1;

	if (pghot_rec_freq(old) && pghot_rec_age(old, now) <= window)
		freq = min(pghot_rec_freq(old) + 1, PGHOT_FREQ_MAX);

	return freq | (now & PGHOT_TIME_MASK) << PGHOT_TIME_SHIFT |
	       (freq >= threshold ? PGHOT_READY : 0);
}

/**
 * pghot_line_exact() - may the records of a line be read as they are?
 * @aged: when the line was last aged, full time, buckets
 * @now: full time, buckets, not before @aged
 */
static inline bool pghot_line_exact(u32 aged, u32 now)
{
	return now - aged <= PGHOT_SLACK;
}

/**
 * pghot_rec_expired() - must ageing drop this record?
 * @rec: a record that is not zero
 * @aged: when its line was last aged, full time, buckets
 * @now: full time, buckets, any time after @aged
 *
 * Exact for any distance of @now from @aged. The five bits are read relative to
 * @aged: up to PGHOT_KEEP they are an age that the record had then; beyond it
 * they stand for an access after @aged, which came at most two buckets later, as
 * whoever came later would have aged the line first.
 */
static inline bool pghot_rec_expired(u8 rec, u32 aged, u32 now)
{
	u32 age = (aged - (rec >> PGHOT_TIME_SHIFT)) & PGHOT_TIME_MASK;
	u32 idle = now - aged;

	if (age <= PGHOT_KEEP)
		return idle > PGHOT_KEEP - age;
	return idle > PGHOT_KEEP + (PGHOT_TIME_MASK + 1 - age);
}

#endif /* PGHOT_RECORD_DEFAULT_H */
