// SPDX-License-Identifier: GPL-2.0
/*
 * The one door for every source of hotness.
 *
 * Nothing here takes a reference: a section that is in the map is online, so the
 * struct page of a page in it can be read, and all that is read there are flags that
 * tell whether a record is worth keeping. kmigrated looks closely.
 */
#include <linux/mm.h>

#include "hotmap.h"
#include "pghot.h"
#include "stats.h"
#include "trace.h"
#include "tunables.h"

static_assert((int)PGHOT_NR_SRC == (int)STAT_RECORDED_ACCESSES);

/* Default mode: the node is kept for a line, not for a page. */
static __always_inline void note_accessor(struct hot_section *section, unsigned int line, int nid)
{
	s16 was = READ_ONCE(section->accessor[line]);

	if (likely(!((was ^ nid) & ~ACCESSOR_SHARED)) || nid == NUMA_NO_NODE)
		return;
	WRITE_ONCE(section->accessor[line], was == NUMA_NO_NODE ? nid : nid | ACCESSOR_SHARED);
}

/* After a record that is ready, or traced. */
static noinline void look_closer(struct hot_section *section, unsigned int index, int nid,
				 enum pghot_src src, u32 old, u32 new)
{
	unsigned long pfn = section_nr_to_pfn(section->nr) + index;
	const struct rec_format *f = rec_format();

	trace_pghot_record(pfn, nid, src, rec_freq(f, new), rec_ready(f, new));
	if (!rec_ready(f, new))
		return;
	if (!rec_ready(f, old)) {
		stats_inc(STAT_MADE_READY);
		trace_pghot_ready(pfn, section->node->nid);
	}
	hotmap_mark_ready(section, index / REC_LINE);
}

static __always_inline void fill_access(struct rec_access *access, u32 ref, u32 when, int nid,
					unsigned int weight)
{
	*access = (struct rec_access) {
		.ref = ref,
		.ago = ref - when,
		.nid = nid,
		.weight = weight,
		.window = READ_ONCE(pghot_window),
		.threshold = READ_ONCE(pghot_freq_threshold),
	};
}

/* Whatever the line, the format, the weight, and however many others do the same. */
static noinline int record_any(struct hot_section *section, unsigned int index, int nid,
			       enum pghot_src src, u64 when, unsigned int weight)
{
	const struct rec_format *f = rec_format();
	u64 now = rec_bucket(f, pghot_clock());
	struct rec_access access;
	u32 ref, old, new;

	/* From a clock that is ahead, or no clock at all. */
	when = min(when, now);
	if (now - when > f->keep)
		return -ESTALE;
	ref = hotmap_line_ref(f, section, index / REC_LINE, now);
	old = hotmap_rec(f, section, index);
	fill_access(&access, ref, when, nid, weight);
	if (!f->nid_mask)
		note_accessor(section, index / REC_LINE, nid);
	do {
		new = rec_touch(f, old, &access);
	} while (!hotmap_change(f, section, index, &old, new));

	stats_inc(STAT_RECORDED_ACCESSES);
	look_closer(section, index, nid, src, old, new);
	return 0;
}

/*
 * One access in the format that is a constant here, so that it folds away, and without
 * calls but in the end, so that no registers have to be saved: what is rare starts over
 * in record_any().
 */
static __always_inline int record_as(const struct rec_format *f, struct hot_section *section,
				     unsigned int index, int nid, enum pghot_src src, u64 when)
{
	/* Pairs with hotmap_age_line(). */
	u32 aged = smp_load_acquire(&section->aged[index / REC_LINE]);
	struct rec_access access;
	u32 old, new;

	if (unlikely(!rec_line_exact(f, aged, when)))
		return record_any(section, index, nid, src, when, 1);
	fill_access(&access, rec_line_ref(f, aged), when, nid, 1);
	if (!f->nid_mask)
		note_accessor(section, index / REC_LINE, nid);
	old = hotmap_rec(f, section, index);
	new = rec_touch(f, old, &access);
	if (unlikely(!hotmap_change(f, section, index, &old, new)))
		return record_any(section, index, nid, src, when, 1);

	stats_inc(STAT_RECORDED_ACCESSES);
	if (rec_ready(f, new) || trace_pghot_record_enabled())
		look_closer(section, index, nid, src, old, new);
	return 0;
}

static noinline int record_default(struct hot_section *section, unsigned int index, int nid,
				   enum pghot_src src, u64 when)
{
	return record_as(&rec_default, section, index, nid, src, rec_bucket(&rec_default, when));
}

static noinline int record_precise(struct hot_section *section, unsigned int index, int nid,
				   enum pghot_src src, u64 when)
{
	return record_as(&rec_precise, section, index, nid, src, rec_bucket(&rec_precise, when));
}

/* The caller is in an RCU read-side section. */
static __always_inline int record(struct hot_section *section, unsigned long pfn, int nid,
				  enum pghot_src src, u64 when)
{
	unsigned int index = pfn % PAGES_PER_SECTION;

	if (static_branch_unlikely(&pghot_precise))
		return record_precise(section, index, nid, src, when);
	return record_default(section, index, nid, src, when);
}

/**
 * pghot_memory() - how long ago an access may have been, to be recorded and acted upon
 *
 * For sources that learn of accesses late, or know only since when they had been
 * waiting for one. Any context, NMI included.
 *
 * Return: ns.
 */
u64 pghot_memory(void)
{
	const struct rec_format *f = rec_format();

	/* As long again is left for kmigrated to look. */
	return (u64)(f->keep / 2) << f->bucket_shift;
}
EXPORT_SYMBOL_GPL(pghot_memory);

/* Is this a source that may record now, and a node that may have accessed? */
static __always_inline int check(int nid, enum pghot_src src)
{
	if ((unsigned int)src >= PGHOT_NR_SRC || (unsigned int)(nid + 1) > MAX_NUMNODES)
		return -EINVAL;
	return READ_ONCE(pghot_enabled_sources) & BIT(src) ? 0 : -EOPNOTSUPP;
}

/*
 * The page whose record counts for this one, of the map: the head of its folio. Without
 * a reference the folio may be about to become something else, hence nothing that is
 * strict about that. At worst it makes a record that kmigrated finds not to fit.
 */
static __always_inline struct page *head_of(struct page *page)
{
	return unlikely(READ_ONCE(page->compound_head) & 1) ? compound_head(page) : page;
}

static __always_inline bool on_lru(const struct page *page)
{
	return test_bit(PG_lru, &page->flags);
}

/**
 * pghot_record_folio() - record an access to a folio
 * @folio: the folio; the caller keeps it from being freed
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @src: where the access was seen
 * @when: as for pghot_record_access()
 *
 * Any context, NMI included, under any lock.
 *
 * Return: as pghot_record_access().
 */
int pghot_record_folio(struct folio *folio, int nid, enum pghot_src src, u64 when)
{
	struct hot_section *section;
	int ret = check(nid, src);

	if (ret)
		return ret;
	stats_inc((enum pghot_stat)src);
	if (!folio_test_lru(folio))
		return -ENOENT;

	rcu_read_lock_sched();
	section = hotmap_find(folio_pfn(folio));
	ret = section ? record(section, folio_pfn(folio), nid, src, when) : -ENOENT;
	rcu_read_unlock_sched();
	return ret;
}

/**
 * pghot_record_access() - record an access to a page frame
 * @pfn: the page frame, any number
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @src: where the access was seen
 * @when: as pghot_clock() told it: the time of the access, if the source knows it;
 *	else since when the source had been waiting for one; a time to come counts as now
 *
 * For sources that hold no reference: the page may have been freed, or taken
 * offline, since the access. Any context, NMI included, under any lock.
 *
 * Return: 0 if recorded; -EINVAL for a wrong @nid or @src; -EOPNOTSUPP if the
 * administrator has switched @src off; -ENOENT for a page that pghot keeps no record
 * for: not online, not on a slow node, or not on the LRU; -ESTALE for an access too
 * long ago to be remembered.
 */
int pghot_record_access(unsigned long pfn, int nid, enum pghot_src src, u64 when)
{
	struct hot_section *section;
	struct page *page, *head;
	int ret = check(nid, src);

	if (unlikely(ret))
		return ret;
	stats_inc((enum pghot_stat)src);

	ret = -ENOENT;
	rcu_read_lock_sched();
	section = hotmap_find(pfn);
	if (unlikely(!section))
		goto out;
	page = pfn_to_page(pfn);
	head = head_of(page);
	if (unlikely(!on_lru(head)))
		goto out;
	/* A folio on the LRU does not reach across sections. */
	if (unlikely(head != page))
		pfn = page_to_pfn(head);
	ret = record(section, pfn, nid, src, when);
out:
	rcu_read_unlock_sched();
	return ret;
}
EXPORT_SYMBOL_GPL(pghot_record_access);

/* Records the folio that @pfn is in. Returns how many pages of it are left from there. */
static unsigned long record_next(struct hot_section *section, unsigned long pfn, int nid,
				 enum pghot_src src, u64 when, unsigned int weight, long *recorded)
{
	struct page *page = pfn_to_page(pfn), *head = head_of(page);
	struct folio *folio = (struct folio *)head;
	unsigned long left = 1;

	if (!on_lru(head) || !folio_try_get(folio))
		return 1;
	if (folio == page_folio(page)) {
		left = folio_pfn(folio) + folio_nr_pages(folio) - pfn;
		stats_inc((enum pghot_stat)src);
		*recorded += !record_any(section, folio_pfn(folio) % PAGES_PER_SECTION, nid, src,
					 rec_bucket(rec_format(), when), weight);
	}
	folio_put(folio);
	return left;
}

/**
 * pghot_record_range() - record accesses to a range of page frames
 * @start: first page frame, any number
 * @nr: number of base pages
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @src: where the accesses were seen
 * @when: as for pghot_record_access()
 * @weight: how many accesses were seen to each page, at least 1
 *
 * For devices that report ranges and counts. A large folio counts once. Any context
 * but NMI, under any lock; takes time in proportion to @nr.
 *
 * Return: number of folios recorded, 0 if there was none that pghot keeps a record
 * for; or -errno of pghot_record_access(), -EINVAL also for a @weight of 0 or a range
 * that wraps.
 */
long pghot_record_range(unsigned long start, unsigned long nr, int nid, enum pghot_src src,
			u64 when, unsigned int weight)
{
	unsigned long pfn = start, end = start + nr;
	long recorded = 0;
	int ret = check(nid, src);

	if (ret)
		return ret;
	if (!weight || end < start)
		return -EINVAL;
	/* More than any record can hold; their sum must not wrap. */
	weight = min(weight, rec_precise.freq_max);

	end = min(end, section_nr_to_pfn(NR_MEM_SECTIONS));
	while (pfn < end) {
		struct hot_section *section;

		rcu_read_lock_sched();
		section = hotmap_find(pfn);
		if (section)
			pfn += record_next(section, pfn, nid, src, when, weight, &recorded);
		else
			pfn = ALIGN(pfn + 1, PAGES_PER_SECTION);
		rcu_read_unlock_sched();
	}
	return recorded;
}
EXPORT_SYMBOL_GPL(pghot_record_range);
