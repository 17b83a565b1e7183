/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The record of a page
 *
 * A page of slow memory has a record in one of two formats, which is chosen when the module is
 * loaded.
 *
 * Default mode, 1 byte::
 *
 *	bits 0-1   frequency: accesses seen in the current window, saturating at 3
 *	bits 2-6   time of the last access, in buckets of 2^27 ns (134 ms), modulo 32
 *	bit  7     ready: the page qualified and waits for kmigrated
 *
 * Precise mode, 4 bytes::
 *
 *	bits 0-9   node of the last access; 1023 if unknown
 *	bits 10-12 frequency, saturating at 7
 *	bits 13-26 time of the last access, in buckets of 2^20 ns (1.05 ms), modulo 2^14
 *	bit  27    shared: accessed from several nodes in the current window
 *	bit  31    ready
 *
 * A record of zero says that nothing is known of the page. A ready record has counted at least one
 * access, so its frequency is at least one. Frequency zero in a ready record therefore has a
 * meaning of its own: the throttle has counted the page as a candidate already, but the page could
 * not be taken then. It waits, and is not counted again when it is judged again.
 *
 * Time is the monotonic clock, cut into buckets whose length is a power of two. So the fields span
 * 4.3 s and 17.2 s on every kernel, whatever its HZ. The field alone cannot tell an access of 1 s
 * ago from one of 5.3 s ago. Therefore each line of REC_LINE records has the full time at which it
 * was last aged, in units of 2^27 ns, which wrap after 18 years.
 *
 *   - Ageing a line at a time a clears the records that are older than @keep. So every record
 *     that is left is at most @keep buckets old at a.
 *   - A line is used without ageing it again only until a + @slack. So no record is ever older
 *     than @keep + @slack when it is read, and the bits are exact. One value of the field is
 *     left over. It stands for the next bucket, because another CPU may have written that
 *     already.
 *
 * So a stale record never looks fresh, however long nobody has looked at it. This needs neither a
 * timer nor a pass over all memory, because whoever touches a line ages it first.
 *
 * Nothing here knows kernel state: the same file is tested and measured in user space. Where speed
 * matters the format is a constant for the compiler, so that fields which the format does not have
 * cost nothing.
 */
#ifndef PGHOT_CORE_RECORD_H
#define PGHOT_CORE_RECORD_H

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

/* Frequencies of either format. */
#define REC_FREQS	8

/**
 * struct rec_rule - when a page is hot, as frequencies and ready bits of a format
 * @window: accesses at most this far apart, in buckets, belong together
 * @first: what a first access leaves
 * @next: what one more leaves, by the frequency before it
 *
 * It may change while it is read. An access is then judged by a mixture of the old and the new
 * rule, which does no harm.
 */
struct rec_rule {
	u32 window;
	u32 first;
	u32 next[REC_FREQS];
};

static inline u32 rec_level(const struct rec_format *f, u32 freq, unsigned int threshold)
{
	return freq << f->freq_shift | (freq >= threshold ? f->ready : 0);
}

/**
 * rec_set_rule() - say when a page is hot
 * @f: format
 * @rule: the rule; others may read it meanwhile
 * @window: accesses at most this far apart belong together, buckets
 * @threshold: frequency at which a page is ready, at least 1; above @freq_max: never
 */
static inline void rec_set_rule(const struct rec_format *f, struct rec_rule *rule, u32 window,
				unsigned int threshold)
{
	u32 freq;

	WRITE_ONCE(rule->window, window);
	WRITE_ONCE(rule->first, rec_level(f, 1, threshold));
	/*
	 * Frequency 0 was counted as a candidate. It stays so if the page is used while it waits.
	 */
	WRITE_ONCE(rule->next[0], f->ready);
	for (freq = 1; freq <= f->freq_max; freq++)
		WRITE_ONCE(rule->next[freq],
			   rec_level(f, min(freq + 1, f->freq_max), threshold));
}

/**
 * struct rec_access - one access to be recorded, or several alike
 * @ref: time to reckon from, of rec_line_ref(), buckets
 * @ago: the access came so long before @ref, buckets, at most @slack + @keep + 1
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @weight: how many accesses
 */
struct rec_access {
	u32 ref;
	u32 ago;
	int nid;
	unsigned int weight;
};

/**
 * rec_bucket() - time as records keep it
 * @f: format
 * @ns: monotonic time, ns
 *
 * Return: the time in buckets, all bits of it. Some code uses only the lower 32 bits. It compares
 * only times that are known to be near each other.
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
 * rec_often() - the record of a page that was used often, and is not ready
 * @f: format
 * @when: time of its last access, buckets
 * @nid: node that used it, or NUMA_NO_NODE
 */
static __always_inline u32 rec_often(const struct rec_format *f, u64 when, int nid)
{
	return f->freq_max << f->freq_shift | (nid & f->nid_mask) |
	       ((u32)when & f->time_mask) << f->time_shift;
}

/**
 * rec_cool() - the record of a page that is not hot enough now, its history kept
 * @f: format
 * @rec: a ready record
 */
static __always_inline u32 rec_cool(const struct rec_format *f, u32 rec)
{
	/* A record that was counted has no frequency any more. It had been high enough. */
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

static __always_inline u32 rec_ruled(const u32 *word)
{
	/* While the rule changes, the old and the new value are equally good. */
	return data_race(*word);
}

/**
 * rec_follows() - does an access come so soon after a record's last that both count?
 * @f: format
 * @rule: when a page is hot
 * @old: a record that is not zero
 * @when: time of the access, buckets, at which the record's line is exact
 *
 * Return: false also if the access came before the last one of the record. The difference of the
 * times then wraps to a value that is longer than any window.
 */
static __always_inline bool rec_follows(const struct rec_format *f, const struct rec_rule *rule,
					u32 old, u32 when)
{
	return ((when - (old >> f->time_shift)) & f->time_mask) <= rec_ruled(&rule->window);
}

/* Which node used the page last, as far as is known, and whether others did as well. */
static __always_inline u32 rec_users(const struct rec_format *f, u32 old, int nid)
{
	u32 users = old & (f->nid_mask | f->shared);

	if (likely(!((old ^ nid) & f->nid_mask)) || nid == NUMA_NO_NODE)
		return users;
	if ((users & f->nid_mask) != f->nid_mask)
		users |= f->shared;
	return (users & ~f->nid_mask) | (nid & f->nid_mask);
}

/**
 * rec_count_up() - the record after accesses that count together with it
 * @f: format
 * @rule: when a page is hot
 * @old: record before, zero for none
 * @when: time of the last access, buckets
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @weight: how many accesses, at least 1
 */
static __always_inline u32 rec_count_up(const struct rec_format *f, const struct rec_rule *rule,
					u32 old, u32 when, int nid, unsigned int weight)
{
	u32 level = rec_ruled(old ? &rule->next[rec_freq(f, old)] : &rule->first);
	u32 users = old ? rec_users(f, old, nid) : nid & f->nid_mask;

	while (--weight)
		level = rec_ruled(&rule->next[rec_freq(f, level)]);
	return level | users | (when & f->time_mask) << f->time_shift;
}

/**
 * rec_touch() - the record after one more access, whenever that was
 * @f: format
 * @rule: when a page is hot
 * @old: record before, zero for none
 * @a: the access
 *
 * An access outside the window starts counting again, and readiness is judged
 * anew with it. One that is reported late does not set the time back.
 */
static __always_inline u32 rec_touch(const struct rec_format *f, const struct rec_rule *rule,
				     u32 old, const struct rec_access *a)
{
	u32 idle = rec_idle(f, old, a->ref), ago = a->ago;

	if (old && idle <= ago + rec_ruled(&rule->window))
		ago = min(ago, idle);
	else
		old = 0;
	return rec_count_up(f, rule, old, a->ref - ago, a->nid, a->weight);
}

/**
 * rec_line_ref() - time to reckon from in a line
 * @f: format
 * @aged: when the line was last aged, its units
 *
 * It is one bucket after the last one at which the line may be used without ageing it. No record of
 * the line is later, and none is more than @slack + @keep + 1 before it.
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
 * This is exact for any distance of @now from @aged. The time in the record is read relative to
 * @aged. A difference up to @keep is the age that the record had then. A larger difference stands
 * for an access after @aged. It came at most @slack + 1 buckets after, because whoever came later
 * would have aged the line first.
 */
static __always_inline bool rec_expired(const struct rec_format *f, u32 rec, u32 aged, u32 now)
{
	u32 age = ((aged << f->aged_shift) - (rec >> f->time_shift)) & f->time_mask;
	u64 idle = (u64)(u32)(now - aged) << f->aged_shift;

	if (age <= f->keep)
		return idle > f->keep - age;
	return idle > f->keep + (f->time_mask + 1 - age);
}

#endif /* PGHOT_CORE_RECORD_H */
