// SPDX-License-Identifier: GPL-2.0
/*
 * What other modules report: accesses to any page frames, at any times. A record is never younger
 * than the last access that was reported of its page, is not lost before its time, and only pages
 * that are there have one.
 */
#include "fuzz.h"
#include "core/access.c"
#include "core/hotmap.c"
#include "memory.h"

#define YEAR		(365ull * 24 * 3600 * SECOND)
/* The one section that there is, and the pages of it that are followed. */
#define SECTION		3
#define BASE		section_nr_to_pfn(SECTION)
#define FOLLOWED	512
/* A large folio among them, and pages that are on no list. */
#define FOLIO		256
#define FOLIO_ORDER	4
#define UNLISTED	384
#define UNLISTED_END	400

/* What was reported of each page, and is not forgotten yet: how often, and the last time. */
static struct {
	unsigned int nr;
	u64 last;
} reported[FOLLOWED];

static unsigned int threshold;
static u64 bucket_now;

/* The page that has the record for a page: the head of its folio. -1: it has none. */
static int recorded_at(unsigned long pfn)
{
	unsigned long i = pfn - BASE;

	if (pfn < BASE || i >= PAGES_PER_SECTION || (i >= UNLISTED && i < UNLISTED_END))
		return -1;
	return i >= FOLIO && i < FOLIO + (1 << FOLIO_ORDER) ? FOLIO : (int)i;
}

/* Whether an access is too long ago to be remembered. */
static bool is_stale(u64 when)
{
	return when < bucket_now && bucket_now - when > rec_format()->keep;
}

/* When the last access of a page was, by its record: the lower half of that time. */
static u32 recorded_time(unsigned int i)
{
	const struct rec_format *f = rec_format();
	u32 ref = rec_line_ref(f, *hotmap_aged(hotmap_section(SECTION), i / REC_LINE));

	return ref - rec_idle(f, memory_rec(BASE + i), ref);
}

static void check_record(unsigned int i)
{
	const struct rec_format *f = rec_format();
	u32 rec = memory_rec(BASE + i), freq = rec_freq(f, rec);

	if (!rec) {
		assert(!reported[i].nr || is_stale(reported[i].last));
		reported[i].nr = 0;
		return;
	}
	assert(reported[i].nr && recorded_at(BASE + i) == (int)i);
	assert(freq && freq <= reported[i].nr && freq <= f->freq_max);
	assert(rec_ready(f, rec) == (freq >= threshold));
	assert(recorded_time(i) == (u32)reported[i].last);
}

/* Of a page that is followed, or any. */
static unsigned long input_pfn(struct input *in)
{
	return input_u8(in) < 0xf0 ? BASE + input_upto(in, FOLLOWED - 1) : input_sized(in, ~0ull);
}

/* Mostly a while ago, also about as long ago as is remembered, or to come. */
static u64 input_when(struct input *in)
{
	const struct rec_format *f = rec_format();
	u8 kind = input_u8(in);

	if (kind < 0x40)
		return (bucket_now - f->keep + input_upto(in, 4) - 2) << f->bucket_shift;
	if (kind >= 0xf0)
		return shim_clock + input_sized(in, ~0ull - shim_clock);
	return shim_clock - input_sized(in, kind < 0xe0 ? 20 * SECOND : shim_clock);
}

static int refusal(int nid, unsigned int src)
{
	if (src >= PGHOT_MAX_SRC || nid < NUMA_NO_NODE || nid >= MAX_NUMNODES)
		return -EINVAL;
	return pghot_enabled_sources.value >> src & 1 ? 0 : -EOPNOTSUPP;
}

/* Page @i was reported, and pghot_record_access() or pghot_record_range() has said yes. */
static void note(int i, u64 when, unsigned int weight)
{
	const u64 about = rec_format()->slack + 1;

	if (i >= FOLLOWED)
		return;
	/* What is to come counts as now, as exactly as the line knows what is now. */
	if (when > bucket_now) {
		when = bucket_now + (s32)(recorded_time(i) - (u32)bucket_now);
		assert(when + about >= bucket_now && when <= bucket_now + about);
	}
	reported[i].last = reported[i].nr ? max(reported[i].last, when) : when;
	reported[i].nr += weight;
	check_record(i);
}

static void access(struct input *in, int nid, unsigned int src)
{
	unsigned long pfn = input_pfn(in);
	u64 ns = input_when(in), when = rec_bucket(rec_format(), ns);
	int i = recorded_at(pfn), expected = refusal(nid, src);
	int ret = pghot_record_access(pfn, nid, src, ns);

	if (!expected && i < 0)
		expected = -ENOENT;
	if (expected)
		assert(ret == expected);
	else if (ret < 0)
		assert(ret == -ESTALE && is_stale(when));
	else
		note(i, when, 1);
}

static void range(struct input *in, int nid, unsigned int src)
{
	unsigned long start = input_pfn(in), nr = input_sized(in, FOLLOWED), end = start + nr, pfn;
	unsigned int weight = input_sized(in, ~0u);
	u64 ns = input_when(in), when = rec_bucket(rec_format(), ns);
	long ret = pghot_record_range(start, nr, nid, src, ns, weight), recorded = 0;
	int expected = refusal(nid, src), last = -1;

	if (!expected && (!weight || end < start))
		expected = -EINVAL;
	if (expected) {
		assert(ret == expected);
		return;
	}
	/* One page is recorded as by access(), a range not if it is of too long ago. */
	if (nr != 1 && is_stale(when))
		assert(!ret);
	for (pfn = start; pfn < end && ret; pfn++) {
		int i = recorded_at(pfn);

		if (i >= 0 && i != last) {
			note(i, when, min(weight, rec_format()->freq_max));
			recorded++;
		}
		last = i;
	}
	assert(ret == recorded);
}

static void start(struct input *in)
{
	bool precise = input_u8(in) & 1;

	memory_start(precise);
	shim_clock = YEAR + input_sized(in, 100 * YEAR);
	bucket_now = rec_bucket(rec_format(), shim_clock);
	threshold = 1 + input_upto(in, rec_format()->freq_max - 1);
	memory_set_rule(input_sized(in, rec_format()->keep), threshold);
	memset(reported, 0, sizeof(reported));
}

void fuzz_one(struct input *in)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	u64 end;
	unsigned int i;

	start(in);
	memory_add_section(node, SECTION);
	memory_make_folio(BASE + FOLIO, FOLIO_ORDER);
	for (i = UNLISTED; i < UNLISTED_END; i++)
		mem_map[BASE + i].flags &= ~BIT(PG_lru);
	/* The clock of a line wraps after 18 years. */
	end = shim_clock + 8 * YEAR;
	while (in->left) {
		int nid = (int)input_upto(in, MAX_NUMNODES + 2) - 2;
		unsigned int src = input_upto(in, PGHOT_MAX_SRC);

		shim_clock = min(end, shim_clock + input_sized(in, YEAR));
		bucket_now = rec_bucket(rec_format(), shim_clock);
		pghot_enabled_sources.value = 0xffff & ~(input_u8(in) < 16 ? BIT(src) : 0);
		if (input_u8(in) & 1)
			range(in, nid, src);
		else
			access(in, nid, src);
	}
	for (i = 0; i < FOLLOWED; i++)
		check_record(i);
	pghot_hotmap_remove_node(node);
	memory_end();
}
