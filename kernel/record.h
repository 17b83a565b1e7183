/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hotness record of a page of slow memory, in one of two formats, chosen at load.
 *
 * Default mode, 1 byte:
 *	bits 0-1   frequency: accesses seen in the current window, saturating at 3
 *	bits 2-6   time of the last access, in buckets of 2^27 ns (134 ms), modulo 32
 *	bit  7     ready: the page qualified and waits for kmigrated
 *
 * Precise mode, 4 bytes:
 *	bits 0-9   node of the last access; 1023 if unknown
 *	bits 10-12 frequency, saturating at 7
 *	bits 13-26 time of the last access, in buckets of 2^20 ns (1.05 ms), modulo 2^14
 *	bit  27    shared: accessed from several nodes in the current window
 *	bit  31    ready
 *
 * A record of zero says that nothing is known of the page. A ready record of
 * frequency zero is a candidate that was counted already, and waits for the rate
 * limit only.
 *
 * Time is the monotonic clock cut into powers of two, so the fields span 4.3 s and
 * 17.2 s on every kernel, whatever its HZ. Bits alone can not tell an access of 1 s ago
 * from one of 5.3 s ago. Therefore every line of REC_LINE records carries the full
 * time at which it was last aged, in units of 2^27 ns, which wrap after 18 years:
 *
 *   - ageing a line at time a zeroes the records older than @keep, so that every record
 *     left is at most @keep buckets old at a;
 *   - a line is used without ageing it again only until a + @slack, so that no record is
 *     ever older than @keep + @slack when it is read, and the bits are exact. The one
 *     value left over stands for the next bucket, which another CPU may have written
 *     already.
 *
 * A stale record thus never looks fresh, however long nobody looked at it, and
 * neither a timer nor a pass over installed memory is needed for that: whoever
 * touches a line ages it first.
 *
 * Nothing here knows kernel state: the same file is tested and measured in user
 * space. The format is a constant wherever speed matters, and folds away.
 */
#ifndef PGHOT_RECORD_H
#define PGHOT_RECORD_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/numa.h>
#include <linux/types.h>

/* Records that are aged together, and share one ready bit. */
#define REC_LINE	64u

/**
 * struct rec_format - where a record keeps what
 * @bytes: size of a record
 * @ready: the ready bit, a mask
 * @shared: the shared bit, a mask; 0 if there is none
 * @freq_shift: lowest bit of the frequency
 * @freq_max: its highest value, and its mask
 * @time_shift: lowest bit of the time
 * @time_mask: mask of the time, before shifting
 * @nid_mask: mask of the node, whose highest value means unknown; 0 if there is none
 * @bucket_shift: nanoseconds to buckets
 * @aged_shift: buckets to the units of a line's time
 * @aged_slack: how long an aged line stays exact, in these units
 * @slack: the same in buckets
 * @keep: how long a record is remembered, buckets; no window is longer
 */
struct rec_format {
	unsigned int bytes;
	u32 ready;
	u32 shared;
	unsigned int freq_shift;
	u32 freq_max;
	unsigned int time_shift;
	u32 time_mask;
	u32 nid_mask;
	unsigned int bucket_shift;
	unsigned int aged_shift;
	u32 aged_slack;
	u32 slack;
	u32 keep;
};

static const struct rec_format rec_default = {
	.bytes = 1,
	.ready = 1u << 7,
	.freq_max = 3,
	.time_shift = 2,
	.time_mask = 31,
	.bucket_shift = 27,
	.aged_shift = 0,
	.aged_slack = 1,
	.slack = 1,
	.keep = 29,
};

static const struct rec_format rec_precise = {
	.bytes = 4,
	.ready = 1u << 31,
	.shared = 1u << 27,
	.freq_shift = 10,
	.freq_max = 7,
	.time_shift = 13,
	.time_mask = 16383,
	.nid_mask = 1023,
	.bucket_shift = 20,
	.aged_shift = 7,
	.aged_slack = 4,
	.slack = 639,
	.keep = 15743,
};

/**
 * struct rec_access - one access to be recorded, or several alike
 * @ref: time to reckon from, of rec_line_ref(), buckets
 * @ago: the access came so long before @ref, buckets, at most @slack + @keep + 1
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @weight: how many accesses
 * @window: accesses at most this far apart, in buckets, belong together
 * @threshold: frequency at which a page is ready, 1 to @freq_max
 */
struct rec_access {
	u32 ref;
	u32 ago;
	int nid;
	unsigned int weight;
	u32 window;
	unsigned int threshold;
};

/**
 * rec_bucket() - time as records keep it
 * @f: format
 * @ns: monotonic time, ns
 *
 * Return: full time in buckets. Where 32 bits of it are used, they are used to tell
 * apart times that are known to be near.
 */
static __always_inline u64 rec_bucket(const struct rec_format *f, u64 ns)
{
	return ns >> f->bucket_shift;
}

static __always_inline u32 rec_freq(const struct rec_format *f, u32 rec)
{
	return rec >> f->freq_shift & f->freq_max;
}

static __always_inline bool rec_ready(const struct rec_format *f, u32 rec)
{
	return rec & f->ready;
}

/**
 * rec_counted() - was this ready record counted as a candidate before?
 * @f: format
 * @rec: a ready record
 */
static __always_inline bool rec_counted(const struct rec_format *f, u32 rec)
{
	return !rec_freq(f, rec);
}

/**
 * rec_count() - mark a ready record as a candidate that was counted
 * @f: format
 * @rec: a ready record
 */
static __always_inline u32 rec_count(const struct rec_format *f, u32 rec)
{
	return rec & ~(f->freq_max << f->freq_shift);
}

/**
 * rec_cool() - the record of a page that is not hot enough now, its history kept
 * @f: format
 * @rec: a ready record
 */
static __always_inline u32 rec_cool(const struct rec_format *f, u32 rec)
{
	/* One that was counted has lost its frequency, which was enough. */
	if (rec_counted(f, rec))
		rec |= f->freq_max << f->freq_shift;
	return rec & ~f->ready;
}

/**
 * rec_nid() - the node that used the page last
 * @f: format
 * @rec: a record that is not zero
 *
 * Return: node id, or NUMA_NO_NODE if the record does not know.
 */
static __always_inline int rec_nid(const struct rec_format *f, u32 rec)
{
	u32 nid = rec & f->nid_mask;

	return nid == f->nid_mask ? NUMA_NO_NODE : (int)nid;
}

/**
 * rec_idle() - when the last access of a record was
 * @f: format
 * @rec: a record that is not zero
 * @ref: time to reckon from, of rec_line_ref(), buckets
 *
 * Return: buckets before @ref, 0 to @slack + @keep + 1.
 */
static __always_inline u32 rec_idle(const struct rec_format *f, u32 rec, u32 ref)
{
	return (ref - (rec >> f->time_shift)) & f->time_mask;
}

/**
 * rec_touch() - the record after one more access
 * @f: format
 * @old: record before, zero for none
 * @a: the access
 *
 * An access outside the window starts counting again, and readiness is judged
 * anew with it. One that is reported late does not set the time back.
 */
static __always_inline u32 rec_touch(const struct rec_format *f, u32 old,
				     const struct rec_access *a)
{
	u32 nid = a->nid == NUMA_NO_NODE ? f->nid_mask : (u32)a->nid & f->nid_mask;
	u32 freq = 0, ago = a->ago, flags = 0;

	if (old) {
		u32 idle = rec_idle(f, old, a->ref);

		if (idle <= ago + a->window) {
			freq = rec_freq(f, old);
			/* Waiting for the rate limit, and in use meanwhile. */
			if (!freq)
				flags = f->ready;
			if (f->nid_mask) {
				u32 was = old & f->nid_mask;

				if (nid == f->nid_mask)
					nid = was;
				else if (was != f->nid_mask && was != nid)
					flags |= f->shared;
				flags |= old & f->shared;
			}
		}
		ago = min(ago, idle);
	}
	if (!(flags & f->ready)) {
		freq = min(freq + a->weight, f->freq_max);
		if (freq >= a->threshold)
			flags |= f->ready;
	}
	return nid | freq << f->freq_shift | flags |
	       ((a->ref - ago) & f->time_mask) << f->time_shift;
}

/**
 * rec_line_ref() - time to reckon from in a line
 * @f: format
 * @aged: when the line was last aged, its units
 *
 * The bucket after the latest that the line may be used at without ageing it: no record
 * of the line is later, and none is more than @slack + @keep + 1 before it.
 *
 * Return: buckets, the lower 32 bits.
 */
static __always_inline u32 rec_line_ref(const struct rec_format *f, u32 aged)
{
	return (aged << f->aged_shift) + f->slack + 1;
}

/**
 * rec_line_exact() - may the records of a line be read as they are?
 * @f: format
 * @aged: when the line was last aged, its units
 * @now: full time, buckets
 */
static __always_inline bool rec_line_exact(const struct rec_format *f, u32 aged, u64 now)
{
	return (u32)(now >> f->aged_shift) - aged <= f->aged_slack;
}

/**
 * rec_line_later() - was a line aged later than some time?
 * @f: format
 * @aged: when the line was last aged, its units
 * @now: that time, full, buckets
 */
static __always_inline bool rec_line_later(const struct rec_format *f, u32 aged, u64 now)
{
	return (s32)(aged - (u32)(now >> f->aged_shift)) > 0;
}

/**
 * rec_expired() - must ageing drop this record?
 * @f: format
 * @rec: a record that is not zero
 * @aged: when its line was last aged, its units
 * @now: when it is aged now, its units
 *
 * Exact for any distance of @now from @aged. The bits are read relative to @aged: up
 * to @keep they are an age that the record had then; beyond it they stand for an
 * access after @aged, which came at most @slack + 1 buckets later, as whoever came
 * later would have aged the line first.
 */
static __always_inline bool rec_expired(const struct rec_format *f, u32 rec, u32 aged, u32 now)
{
	u32 age = ((aged << f->aged_shift) - (rec >> f->time_shift)) & f->time_mask;
	u64 idle = (u64)(u32)(now - aged) << f->aged_shift;

	if (age <= f->keep)
		return idle > f->keep - age;
	return idle > f->keep + (f->time_mask + 1 - age);
}

#endif /* PGHOT_RECORD_H */
