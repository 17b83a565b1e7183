// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The functions that all sources report to
 *
 * Nothing here takes a reference to a page. A section that is in the map is online, so the struct
 * page of each page in it can be read. All that is read there are flags, which tell whether a
 * record is worth keeping. kmigrated looks more closely later.
 */
#include <linux/mm.h>

#include "core/counter.h"
#include "core/hotmap.h"
#include "core/mode.h"
#include "core/rule.h"
#include "core/source.h"
#include "core/tunable.h"
#include "pghot.h"
#include "wrapper/pageflags.h"

#define CREATE_TRACE_POINTS
#include "core/trace.h"

/* Accesses that reached a record, and records that became ready. */
PGHOT_COUNTER(recorded_accesses);
PGHOT_COUNTER(made_ready);

/* Is this a source that may record now, and a node that may have accessed? */
static __always_inline int check(int nid, unsigned int src)
{
	if (src >= PGHOT_MAX_SRC || (unsigned int)(nid + 1) > MAX_NUMNODES)
		return -EINVAL;
	return pghot_tunable_get(&pghot_enabled_sources) & BIT(src) ? 0 : -EOPNOTSUPP;
}

/*
 * Without a reference the folio may be about to become something else. So this is not
 * folio_test_lru(), whose checks would complain about that. At worst a record is made that
 * kmigrated later finds not to fit its page.
 */
static __always_inline bool on_lru(const struct page *page)
{
	return test_bit(PG_lru, pghot_page_flags(page));
}

/*
 * In default mode the accessing node is kept for a whole line, not for each page. Once several
 * nodes use the line, most accesses leave it as it is: CPUs of all these nodes read the cache line
 * that it is in, and would wait for each other if each of them wrote there.
 */
static __always_inline void note_accessor(struct hot_section *section, unsigned int line, int nid)
{
	s16 *accessor = hotmap_accessor(section, line), was = READ_ONCE(*accessor);

	if (likely(was == nid) || was >= ACCESSOR_SHARED || nid == NUMA_NO_NODE)
		return;
	WRITE_ONCE(*accessor, was == NUMA_NO_NODE ? nid : nid | ACCESSOR_SHARED);
}

/* The access made a page ready. Soon kmigrated asks who uses the page. */
static void note_last_accessor(struct hot_section *section, unsigned int line, int nid)
{
	s16 *accessor = hotmap_accessor(section, line), was = READ_ONCE(*accessor);

	if (was >= ACCESSOR_SHARED && nid != NUMA_NO_NODE && was != (nid | ACCESSOR_SHARED))
		WRITE_ONCE(*accessor, nid | ACCESSOR_SHARED);
}

/* Called after a record was written that is ready, or if records are traced. Is it ready? */
static noinline bool look_closer(unsigned long index, int nid, unsigned int src, u32 old,
				 struct hot_section *section, u32 new)
{
	unsigned long pfn = section_nr_to_pfn(section->nr) + index;
	const struct rec_format *f = rec_format();
	bool ready = rec_ready(f, new);

	trace_pghot_record(pfn, nid, src, rec_freq(f, new), ready);
	if (ready && !rec_ready(f, old)) {
		pghot_count(made_ready, 1);
		trace_pghot_ready(pfn, section->node->nid);
		if (!f->nid_mask)
			note_last_accessor(section, index / REC_LINE, nid);
		pghot_hotmap_mark_ready(section, index / REC_LINE);
	}
	return ready;
}

/*
 * The general way of recording. It takes any line, any record and any weight, and it goes on when
 * others change the same record. The arguments here and above are in the order of
 * pghot_record_access(), so that most of them can stay in their registers.
 */
static noinline int record_any(unsigned long index, int nid, unsigned int src, u64 when,
			       struct hot_section *section, unsigned int weight)
{
	const struct rec_format *f = rec_format();
	u64 now = rec_bucket(f, pghot_clock());
	struct rec_access access = { .nid = nid, .weight = weight };
	u32 old, new;

	/* A later time comes from a clock that is ahead, or from no clock at all. */
	when = min(when, now);
	if (now - when > f->keep)
		return -ESTALE;
	access.ref = hotmap_line_ref(f, section, index / REC_LINE, now);
	access.ago = access.ref - (u32)when;
	/* The line may have been aged by a CPU whose clock is a moment ahead. */
	if (access.ago > f->slack + f->keep + 1)
		return -ESTALE;
	old = hotmap_rec(f, section, index);
	if (!f->nid_mask)
		note_accessor(section, index / REC_LINE, nid);
	do {
		new = rec_touch(f, &pghot_rule, old, &access);
	} while (!hotmap_change(f, section, index, &old, new));

	pghot_count(recorded_accesses, 1);
	return look_closer(index, nid, src, old, section, new);
}

/*
 * The fast way of recording. @f is a constant for the compiler, so that the code has no trace of
 * the other format. Other functions are called at the end only, so that no registers have to be
 * saved. Rare cases are not handled here: they start over in record_any().
 */
static __always_inline int record(const struct rec_format *f, unsigned long index, int nid,
				  unsigned int src, u64 when, struct hot_section *section,
				  unsigned int weight)
{
	/* Pairs with pghot_hotmap_age_line(). */
	u32 aged = smp_load_acquire(hotmap_aged(section, index / REC_LINE)), old, new;

	if (unlikely(!rec_line_exact(f, aged, when)))
		goto any;
	if (!f->nid_mask)
		note_accessor(section, index / REC_LINE, nid);
	old = hotmap_rec(f, section, index);
	if (old && unlikely(!rec_follows(f, &pghot_rule, old, when)))
		goto any;
	new = rec_count_up(f, &pghot_rule, old, when, nid, weight);
	if (unlikely(!hotmap_change(f, section, index, &old, new)))
		goto any;

	pghot_count(recorded_accesses, 1);
	if (unlikely(rec_ready(f, new)) || trace_pghot_record_enabled())
		return look_closer(index, nid, src, old, section, new);
	return 0;
any:
	return record_any(index, nid, src, when, section, weight);
}

static __always_inline int record_page(const struct rec_format *f, unsigned long pfn, int nid,
				       unsigned int src, u64 when, unsigned int weight)
{
	struct hot_section *section = hotmap_find(pfn);
	struct page *page;

	if (unlikely(!section))
		return -ENOENT;
	page = pfn_to_page(pfn);
	if (unlikely(!on_lru(page))) {
		/* Of a large folio, only the head is. No folio reaches across sections. */
		page = compound_head(page);
		if (!on_lru(page))
			return -ENOENT;
		pfn = page_to_pfn(page);
	}
	return record(f, pfn % PAGES_PER_SECTION, nid, src, rec_bucket(f, when), section, weight);
}

static __always_inline int record_access(const struct rec_format *f, unsigned long pfn, int nid,
					 unsigned int src, u64 when, unsigned int weight)
{
	int ret = check(nid, src);

	if (unlikely(ret))
		return ret;
	this_cpu_inc(pghot_recorded[src]);

	rcu_read_lock_sched();
	ret = record_page(f, pfn, nid, src, when, weight);
	rcu_read_unlock_sched();
	return ret;
}

static noinline int record_precise(unsigned long pfn, int nid, unsigned int src, u64 when)
{
	return record_access(&rec_precise, pfn, nid, src, when, 1);
}

/* @weight is at most what a record can hold. */
static noinline int record_weighty(unsigned long pfn, int nid, unsigned int src, u64 when,
				   unsigned int weight)
{
	if (static_branch_unlikely(&pghot_precise))
		return record_access(&rec_precise, pfn, nid, src, when, weight);
	return record_access(&rec_default, pfn, nid, src, when, weight);
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

	/* The other half of the time is left for kmigrated to look at the page. */
	return (u64)(f->keep / 2) << f->bucket_shift;
}
EXPORT_SYMBOL_GPL(pghot_memory);

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
 * Return: 0 if recorded, 1 if that makes or finds the page ready for promotion; -EINVAL
 * for a wrong @nid or @src; -EOPNOTSUPP if the administrator has switched @src off;
 * -ENOENT for a page that pghot keeps no record for: not online, not on a slow node, or
 * not on the LRU; -ESTALE for an access too long ago to be remembered.
 */
int pghot_record_access(unsigned long pfn, int nid, unsigned int src, u64 when)
{
	if (static_branch_unlikely(&pghot_precise))
		return record_precise(pfn, nid, src, when);
	return record_access(&rec_default, pfn, nid, src, when, 1);
}
EXPORT_SYMBOL_GPL(pghot_record_access);

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
int pghot_record_folio(struct folio *folio, int nid, unsigned int src, u64 when)
{
	return pghot_record_access(folio_pfn(folio), nid, src, when);
}

/*
 * How many base pages the folio of @head has. There is no reference, so at worst this is the size
 * of a folio that was there a moment ago. It is never more than the largest folio has.
 */
static unsigned long nr_pages_now(const struct page *head)
{
	unsigned int order;

	if (!test_bit(PG_head, pghot_page_flags(head)))
		return 1;
	/* Whoever splits or frees the folio may write here. A wrong value does no harm. */
	order = data_race(*pghot_page_flags(head + 1)) & 0xff;
	return 1ul << min_t(unsigned int, order, MAX_PAGE_ORDER);
}

/* Records the folio that @pfn is in. Returns how many pages of it are left from there. */
static unsigned long record_next(struct hot_section *section, unsigned long pfn, int nid,
				 unsigned int src, u64 when, unsigned int weight, long *recorded)
{
	struct page *page = pfn_to_page(pfn), *head = compound_head(page);
	unsigned long start = page_to_pfn(head), end;

	if (!on_lru(head))
		return 1;
	end = start + nr_pages_now(head);
	this_cpu_inc(pghot_recorded[src]);
	*recorded += record_any(start % PAGES_PER_SECTION, nid, src,
				rec_bucket(rec_format(), when), section, weight) >= 0;
	return end > pfn ? end - pfn : 1;
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
long pghot_record_range(unsigned long start, unsigned long nr, int nid, unsigned int src,
			u64 when, unsigned int weight)
{
	unsigned long pfn = start, end = start + nr;
	long recorded = 0;
	int ret = check(nid, src);

	if (ret)
		return ret;
	if (!weight || end < start)
		return -EINVAL;
	/* No record can hold more, and the sum of weights must not wrap. */
	weight = min(weight, rec_format()->freq_max);

	if (nr == 1)
		return record_weighty(start, nid, src, when, weight) >= 0;

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
