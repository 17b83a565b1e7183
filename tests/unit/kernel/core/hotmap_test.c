// SPDX-License-Identifier: GPL-2.0
/*
 * The record map, its scan and the recorders' door, in both modes, against a model that
 * keeps everything in full; sections that come and go; ranges; wrong arguments.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"

/* A source besides PGHOT_SRC_HWHINTS. */
#define OTHER_SRC	5

/* Neighbours, sections far apart, and some that share a ready bit. */
static const unsigned long sections[] = { 3, 4, 511, 512, HOT_READY + 4, HOT_READY + 1300 };
#define NR_SECTIONS	ARRAY_SIZE(sections)
/* The pages that the model follows in each: some lines, at both ends. */
#define EDGE		(4 * REC_LINE)
#define NR_PAGES	(NR_SECTIONS * 2 * EDGE)

/* Stands for what a record says, without end. */
struct model_page {
	unsigned int freq;
	u64 last;
	int nid;
	bool ready;
	bool shared;
	bool hot;	/* the visitor is to leave it ready */
	unsigned int visits;
};

static struct model_page pages[NR_PAGES];
static u64 aged[NR_PAGES / REC_LINE];

static unsigned long page_pfn(unsigned long i)
{
	unsigned long index = i % (2 * EDGE);

	if (index >= EDGE)
		index += PAGES_PER_SECTION - 2 * EDGE;
	return section_nr_to_pfn(sections[i / (2 * EDGE)]) + index;
}

static unsigned long pfn_page(unsigned long nr, unsigned int index)
{
	unsigned long i;

	for (i = 0; i < NR_SECTIONS && sections[i] != nr; i++)
		;
	if (i == NR_SECTIONS || (index >= EDGE && index < PAGES_PER_SECTION - EDGE))
		return NR_PAGES;
	return i * 2 * EDGE + (index < EDGE ? index : index - (PAGES_PER_SECTION - 2 * EDGE));
}

/*
 * An access a while after the last ageing of its line, or before it, makes the line drop
 * what is older than @keep now. So does one that does not count together with the page's
 * last, or came before it.
 */
static void model_use_line(const struct rec_format *f, unsigned long i, u64 when)
{
	u64 now = rec_bucket(f, shim_clock) >> f->aged_shift, *line = &aged[i / REC_LINE];
	struct model_page *page = &pages[i];
	u64 unit = when >> f->aged_shift;
	bool soon = !page->freq || (when >= page->last && when - page->last <= memory_window);

	if (soon && unit >= *line && unit <= *line + f->aged_slack)
		return;
	if (now <= *line + f->aged_slack)
		return;
	*line = now;
	page = &pages[i / REC_LINE * REC_LINE];
	for (i = 0; i < REC_LINE; i++, page++) {
		if (page->freq && page->last + f->keep < now << f->aged_shift)
			*page = (struct model_page) { .visits = page->visits };
	}
}

static void model_access(const struct rec_format *f, unsigned long i, u64 when, int nid)
{
	struct model_page *page = &pages[i];

	model_use_line(f, i, when);
	if (page->freq && when <= page->last + memory_window) {
		page->freq = min(page->freq + 1, f->freq_max);
		page->shared |= nid != page->nid;
	} else {
		page->freq = 1;
		page->shared = false;
	}
	page->nid = nid;
	page->last = max(page->last, when);
	page->ready = page->freq >= memory_threshold;
}

/* Records that differ from the model. */
static unsigned long differences(const struct rec_format *f)
{
	unsigned long i, bad = 0;

	for (i = 0; i < NR_PAGES; i++) {
		u32 rec = memory_rec(page_pfn(i)), ref = aged[i / REC_LINE] << f->aged_shift;
		const struct model_page *page = &pages[i];

		ref += f->slack + 1;
		bad += !rec != !page->freq;
		if (!rec || !page->freq)
			continue;
		bad += rec_freq(f, rec) != page->freq;
		bad += rec_ready(f, rec) != page->ready;
		bad += ref - rec_idle(f, rec, ref) != (u32)page->last;
		bad += f->nid_mask && rec_nid(f, rec) != page->nid;
		bad += f->nid_mask && !(rec & f->shared) != !page->shared;
	}
	return bad;
}

struct scan {
	unsigned long strangers;
	unsigned long unready;
	unsigned long kept;
};

/* Leaves some ready, takes others, and lets the rest cool. */
static enum hotscan_verdict visit(void *arg, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	unsigned long i = pfn_page(section->nr, index);
	u32 rec = hotmap_rec(f, section, index);
	struct scan *scan = arg;

	if (i == NR_PAGES) {
		scan->strangers++;
		return HOTSCAN_DONE;
	}
	scan->unready += !rec_ready(f, rec);
	pages[i].visits++;
	if (pages[i].hot) {
		scan->kept++;
		return HOTSCAN_KEPT;
	}
	if (i % 2) {
		memory_take(section, index);
		pages[i] = (struct model_page) { .visits = pages[i].visits };
	} else {
		hotmap_change(f, section, index, &rec, rec_cool(f, rec));
		pages[i].ready = false;
	}
	return HOTSCAN_DONE;
}

/* All that is ready is visited once, nothing else is; and what stayed, once more. */
static void scans_visit_what_is_ready(const struct rec_format *f, struct hot_node *node)
{
	static bool ready[NR_PAGES];
	unsigned long i, wrong = 0, kept = 0;
	struct scan scan = { 0 };

	for (i = 0; i < NR_PAGES; i++) {
		ready[i] = pages[i].ready;
		pages[i].visits = 0;
		pages[i].hot = random() % 2;
		kept += ready[i] && pages[i].hot;
	}
	/* What a scan left waiting before is looked at first, and once only. */
	CHECK(!hotscan(f, node, HOT_WAITING, visit, &scan));
	CHECK(!hotscan(f, node, HOT_FRESH, visit, &scan));
	CHECK(!hotscan_any(node, HOT_FRESH));
	CHECK(hotscan_any(node, HOT_WAITING) == (scan.kept > 0));
	for (i = 0; i < NR_PAGES; i++) {
		/* In a line that has both kinds, what stays is met by both scans. */
		wrong += ready[i] ? !pages[i].visits || pages[i].visits > 1 + pages[i].hot :
				    pages[i].visits;
		ready[i] &= pages[i].hot;
		pages[i].visits = 0;
	}
	CHECK(scan.kept >= kept);
	scan.kept = 0;
	CHECK(!hotscan(f, node, HOT_WAITING, visit, &scan));
	for (i = 0; i < NR_PAGES; i++)
		wrong += pages[i].visits != ready[i];
	CHECK(wrong == 0);
	CHECK(scan.kept == kept);
	CHECK(scan.strangers == 0);
	CHECK(scan.unready == 0);
}

/* Bursts of accesses, some reported late, and pauses of any length; scans between. */
static void records_match_the_model(void)
{
	const struct rec_format *f = rec_format();
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long i, round, accesses = 0, ready = 0, made = 0, bad = 0;
	int ret;

	for (i = 0; i < NR_SECTIONS; i++)
		memory_add_section(node, sections[i]);
	CHECK(node->nr_sections == NR_SECTIONS);
	CHECK(node->end == HOT_READY + 1301);
	memset(pages, 0, sizeof(pages));
	for (i = 0; i < NR_PAGES / REC_LINE; i++)
		aged[i] = rec_bucket(f, shim_clock) >> f->aged_shift;

	for (round = 0; round < 400; round++) {
		unsigned long spread = 1 + random() % NR_PAGES;

		memory_set_rule(random() % (f->keep + 1), 1 + random() % f->freq_max);
		for (i = 0; i < 1000; i++) {
			u64 ago = random() % 4 ? 0 : random() % (pghot_memory() / 2);
			unsigned long page = random() % spread;
			int nid = random() % 2 ? FAST_NID : OTHER_NID;

			ret = pghot_record_access(page_pfn(page), nid, PGHOT_SRC_HWHINTS,
						  shim_clock - ago);
			accesses += ret >= 0;
			ready += ret == rec_ready(f, memory_rec(page_pfn(page)));
			made++;
			model_access(f, page, rec_bucket(f, shim_clock - ago), nid);
			shim_clock += random() % (SECOND / 100);
		}
		bad += differences(f);
		scans_visit_what_is_ready(f, node);
		bad += differences(f);
		shim_clock += random() % 3 * random() % (20 * SECOND);
	}
	CHECK(accesses == made);
	CHECK(ready == made);
	CHECK(bad == 0);

	/* Times that nobody can have seen leave the neighbours alone. */
	for (i = 0; i < REC_LINE; i++)
		model_access(f, i, rec_bucket(f, shim_clock), FAST_NID);
	for (i = 0; i < REC_LINE; i++)
		CHECK(pghot_record_access(page_pfn(i), FAST_NID, PGHOT_SRC_HWHINTS,
					  shim_clock) >= 0);
	CHECK(pghot_record_access(page_pfn(1), FAST_NID, PGHOT_SRC_HWHINTS, 0) == -ESTALE);
	CHECK(pghot_record_access(page_pfn(2), FAST_NID, PGHOT_SRC_HWHINTS,
				  shim_clock - 30 * SECOND) == -ESTALE);
	CHECK(differences(f) == 0);
	/* From a clock that is ahead: it counts as now. */
	CHECK(pghot_record_access(page_pfn(3), FAST_NID, PGHOT_SRC_HWHINTS,
				  shim_clock + 100 * SECOND) >= 0);
	model_access(f, 3, rec_bucket(f, shim_clock), FAST_NID);
	CHECK(differences(f) == 0);
	pghot_hotmap_remove_node(node);
}

static enum hotscan_verdict visit_count(void *arg, struct hot_section *section,
					unsigned int index)
{
	unsigned long *visits = arg;

	(*visits)++;
	memory_take(section, index);
	return HOTSCAN_DONE;
}

static unsigned long count_ready(struct hot_node *node)
{
	unsigned long visits = 0;

	hotscan(rec_format(), node, HOT_WAITING, visit_count, &visits);
	hotscan(rec_format(), node, HOT_FRESH, visit_count, &visits);
	return visits;
}

/* Two nodes side by side; sections come and go, whole and in part. */
static void sections_come_and_go(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	struct hot_node *other = pghot_hotmap_add_node(OTHER_NID, 0, FAST_NID);
	unsigned long base = section_nr_to_pfn(100);

	memory_set_threshold(1);
	CHECK(memory_access(base) == -ENOENT);
	CHECK(memory_access(~0ul) == -ENOENT);
	CHECK(count_ready(node) == 0);

	/* Absent memory and another node's get no records; a part of a section does. */
	memory_set(base, PAGES_PER_SECTION, OTHER_NID, true);
	memory_set(base + 5 * PAGES_PER_SECTION / 2, PAGES_PER_SECTION / 2, SLOW_NID, true);
	CHECK(pghot_hotmap_add(node, base, base + 3 * PAGES_PER_SECTION, FAST_NID) == 0);
	CHECK(node->nr_sections == 1);
	CHECK(memory_access(base) == -ENOENT);
	CHECK(memory_access(base + PAGES_PER_SECTION) == -ENOENT);
	CHECK(memory_access(base + 3 * PAGES_PER_SECTION - 1) >= 0);
	/* Not there, but in a section that is: not on the LRU. */
	CHECK(memory_access(base + 2 * PAGES_PER_SECTION) == -ENOENT);

	/* Each node's scan keeps to its own. */
	CHECK(pghot_hotmap_add(other, base, base + 3 * PAGES_PER_SECTION, FAST_NID) == 0);
	CHECK(other->nr_sections == 1);
	CHECK(memory_access(base + 7) >= 0);
	CHECK(atomic_read(&node->pending) && atomic_read(&other->pending));
	CHECK(atomic_long_read(&other->wait.wakeups) == 1);
	CHECK(count_ready(other) == 1);
	CHECK(count_ready(node) == 1);

	/* Adding once more changes nothing, but adds what is new. */
	memory_set(base + PAGES_PER_SECTION, PAGES_PER_SECTION, SLOW_NID, true);
	CHECK(memory_access(base + 3 * PAGES_PER_SECTION - 1) >= 0);
	CHECK(pghot_hotmap_add(node, base, base + 3 * PAGES_PER_SECTION, FAST_NID) == 0);
	CHECK(node->nr_sections == 2);
	CHECK(memory_rec(base + 3 * PAGES_PER_SECTION - 1) != 0);
	CHECK(memory_access(base + PAGES_PER_SECTION) >= 0);

	/* What is taken out takes its ready records along, and others stay. */
	pghot_hotmap_remove(node, base, base + 2 * PAGES_PER_SECTION);
	CHECK(node->nr_sections == 1 && other->nr_sections == 1);
	CHECK(memory_access(base + PAGES_PER_SECTION) == -ENOENT);
	CHECK(count_ready(node) == 1);
	CHECK(memory_access(base + 7) >= 0);
	CHECK(count_ready(other) == 1);

	/* It comes back as new. */
	CHECK(pghot_hotmap_add(node, base, base + 3 * PAGES_PER_SECTION, FAST_NID) == 0);
	CHECK(node->nr_sections == 2);
	CHECK(memory_rec(base + PAGES_PER_SECTION) == 0);
	CHECK(count_ready(node) == 0);

	pghot_hotmap_remove_node(node);
	CHECK(memory_access(base + PAGES_PER_SECTION) == -ENOENT);
	CHECK(memory_access(base + 7) >= 0);
	pghot_hotmap_remove_node(other);
}

/* Each part of a node has its own sections, wakes its own thread, and scans no others. */
static void parts_share_a_node(void)
{
	unsigned long base = section_nr_to_pfn(200), end = base + 9 * PAGES_PER_SECTION;
	struct hot_node *part[4];
	unsigned long nr;
	unsigned int i;

	pghot_hot_parts = 4;
	memory_set_threshold(1);
	memory_set(base, end - base, SLOW_NID, true);
	for (i = 0; i < 4; i++) {
		part[i] = pghot_hotmap_add_node(SLOW_NID, i, FAST_NID);
		CHECK(pghot_hotmap_add(part[i], base, end, FAST_NID) == 0);
		/* 200 is a multiple of 4, so the first part has one more. */
		CHECK(part[i]->nr_sections == (i ? 2 : 3));
	}
	for (nr = 0; nr < 9; nr++)
		CHECK(memory_access(base + nr * PAGES_PER_SECTION + nr) >= 0);
	for (i = 0; i < 4; i++) {
		CHECK(atomic_read(&part[i]->pending));
		CHECK(atomic_long_read(&part[i]->wait.wakeups) == 1);
		CHECK(count_ready(part[i]) == part[i]->nr_sections);
	}

	/* Memory that goes is forgotten by the part that has it. */
	for (i = 0; i < 4; i++)
		pghot_hotmap_remove(part[i], base + PAGES_PER_SECTION,
				    base + 2 * PAGES_PER_SECTION);
	CHECK(part[0]->nr_sections == 3 && part[1]->nr_sections == 1);
	CHECK(memory_access(base + PAGES_PER_SECTION) == -ENOENT);
	CHECK(memory_access(base + 5 * PAGES_PER_SECTION) >= 0);
	for (i = 0; i < 4; i++)
		pghot_hotmap_remove_node(part[i]);
	pghot_hot_parts = 1;
}

static long range(unsigned long pfn, unsigned long nr, unsigned int weight)
{
	return pghot_record_range(pfn, nr, FAST_NID, PGHOT_SRC_HWHINTS, shim_clock, weight);
}

/* Ranges with holes, large folios and pages that are free or about to be. */
static void ranges_are_recorded(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long base = section_nr_to_pfn(200), i, references = 0;
	const struct rec_format *f = rec_format();

	memory_set_threshold(f->freq_max);
	memory_add_section(node, 200);
	memory_add_section(node, 202);

	CHECK(range(base + 10, 5, 1) == 5);
	CHECK(memory_rec(base + 9) == 0 && memory_rec(base + 15) == 0);
	CHECK(rec_freq(f, memory_rec(base + 10)) == 1);
	CHECK(range(base + 14, 1, 1) == 1);
	CHECK(rec_freq(f, memory_rec(base + 14)) == 2);
	CHECK(count_ready(node) == 0);

	/* A weight counts as so many accesses, however large. */
	CHECK(range(base + 20, 2, f->freq_max) == 2);
	CHECK(range(base + 22, 1, ~0u) == 1);
	CHECK(rec_freq(f, memory_rec(base + 22)) == f->freq_max);
	CHECK(count_ready(node) == 3);

	/* From the end of one section over the hole into the next but one. */
	CHECK(range(base + PAGES_PER_SECTION - 3, PAGES_PER_SECTION + 5, 1) == 5);
	CHECK(range(base + PAGES_PER_SECTION, PAGES_PER_SECTION, 1) == 0);
	CHECK(range(base, 3 * PAGES_PER_SECTION, 1) == 2 * (long)PAGES_PER_SECTION);
	CHECK(range(0, ~0ul, f->freq_max) == 2 * (long)PAGES_PER_SECTION);
	CHECK(count_ready(node) == 2 * PAGES_PER_SECTION);

	/* A large folio counts once, by its head, wherever the range begins. */
	memory_make_folio(base + 512, 9);
	CHECK(range(base + 512, 512, 1) == 1);
	CHECK(range(base + 1000, 30, 1) == 7);
	CHECK(rec_freq(f, memory_rec(base + 512)) == 2);
	CHECK(memory_rec(base + 1000) == 0);
	CHECK(memory_access(base + 700) >= 0);
	CHECK(rec_freq(f, memory_rec(base + 512)) == 3);
	count_ready(node);

	/* Not off the LRU, and without taking a reference, which might be the last to be put. */
	mem_map[base + 2000].flags &= ~BIT(PG_lru);
	mem_map[base + 2001].refcount = 0;
	CHECK(range(base + 1999, 4, 1) == 3);
	CHECK(memory_rec(base + 2000) == 0 && memory_rec(base + 2001) != 0);
	for (i = 0; i < PAGES_PER_SECTION; i++)
		references += mem_map[base + i].refcount;
	CHECK(references == PAGES_PER_SECTION - 511 - 1);

	/* A head that says nonsense, as one that is just being split may, ends no later. */
	mem_map[base + 3001].flags = 0xff;
	mem_map[base + 3000].flags |= BIT(PG_head);
	CHECK(range(base + 3000, 2000, 1) == 2000 - 1023);

	CHECK(range(base, 0, 1) == 0);
	CHECK(range(base, 1, 0) == -EINVAL);
	CHECK(range(~0ul, 2, 1) == -EINVAL);
	CHECK(range(section_nr_to_pfn(NR_MEM_SECTIONS), 1, 1) == 0);
	pghot_hotmap_remove_node(node);
}

/*
 * A CPU whose clock is a moment ahead has aged a line. An access that is reported as late as
 * can be then lies beyond what the bits of its record tell apart.
 */
static void lines_may_be_aged_ahead(void)
{
	const struct rec_format *f = rec_format();
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long base = section_nr_to_pfn(400), ago, fresh = 0;
	u64 unit = 1ull << (f->bucket_shift + f->aged_shift);
	u64 bucket = 1ull << f->bucket_shift;

	memory_set_threshold(f->freq_max);
	memory_add_section(node, 400);
	/* Long after the line was made. */
	shim_clock = (shim_clock / unit + 1000) * unit;
	for (ago = f->keep - 40 % f->keep; ago <= f->keep; ago++) {
		unsigned long pfn = base + (ago + 41 - f->keep) * REC_LINE;
		u64 when = shim_clock - ago * bucket;
		u32 rec, ref;

		shim_clock += unit;
		memory_access(pfn + 1);
		shim_clock -= unit;
		pghot_record_access(pfn, FAST_NID, PGHOT_SRC_HWHINTS, when);
		rec = memory_rec(pfn);
		ref = ((shim_clock + unit) >> f->bucket_shift) + f->slack + 1;
		fresh += rec && rec_idle(f, rec, ref) < ago;
	}
	CHECK(fresh == 0);
	pghot_hotmap_remove_node(node);
}

/* A page that could not be promoted is ready with its next access. */
static void pages_are_put_back(void)
{
	const struct rec_format *f = rec_format();
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long pfn = section_nr_to_pfn(500) + 77;

	memory_set_threshold(f->freq_max);
	memory_add_section(node, 500);
	pghot_hotmap_put_back(pfn, OTHER_NID);
	pghot_hotmap_put_back(section_nr_to_pfn(501), OTHER_NID);
	CHECK(memory_rec(pfn) != 0 && !rec_ready(f, memory_rec(pfn)));
	CHECK(!f->nid_mask || rec_nid(f, memory_rec(pfn)) == OTHER_NID);
	CHECK(count_ready(node) == 0);
	CHECK(memory_access(pfn) == 1);
	CHECK(count_ready(node) == 1);

	/* One that was used meanwhile stays as it is. */
	memory_access(pfn);
	pghot_hotmap_put_back(pfn, OTHER_NID);
	CHECK(rec_freq(f, memory_rec(pfn)) == 1);
	/* Nor is it remembered for longer than any other. */
	pghot_hotmap_put_back(pfn + 1, OTHER_NID);
	shim_clock += 30 * SECOND;
	CHECK(memory_access(pfn + 1) == 0);
	pghot_hotmap_remove_node(node);
}

static unsigned long left_to_visit, visited[8192];

static enum hotscan_verdict visit_some(void *arg, struct hot_section *section, unsigned int index)
{
	unsigned long *first = arg;

	if (!left_to_visit)
		return HOTSCAN_STOP;
	left_to_visit--;
	visited[section_nr_to_pfn(section->nr) + index - *first]++;
	return HOTSCAN_KEPT;
}

/* Scans that end early: all that waits gets its turn, one as often as the other. */
static void scans_go_on_where_they_ended(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long base = section_nr_to_pfn(600), i, least = ~0ul, most = 0;
	const unsigned long nr = 6400, each = 320;

	memory_set_threshold(1);
	memory_add_section(node, 600);
	for (i = 0; i < nr; i++)
		memory_access(base + i);
	memset(visited, 0, sizeof(visited));
	for (i = 0; i < 3 * nr / each; i++) {
		left_to_visit = each;
		hotscan(rec_format(), node, i ? HOT_WAITING : HOT_FRESH, visit_some, &base);
		if (!i) {
			/* The rest is still fresh. */
			CHECK(hotscan_any(node, HOT_FRESH));
			left_to_visit = nr;
			CHECK(!hotscan(rec_format(), node, HOT_FRESH, visit_some, &base));
			CHECK(!hotscan_any(node, HOT_FRESH));
		}
	}
	for (i = 0; i < nr; i++) {
		least = min(least, visited[i]);
		most = max(most, visited[i]);
	}
	CHECK(least >= 3 && most <= 4);
	pghot_hotmap_remove_node(node);
}

static struct hot_node *to_be_removed;
static unsigned int readers_left;

/* Takes the node out when the second reader has left. */
static void remove_it(void)
{
	struct hot_node *node = to_be_removed;

	if (++readers_left != 2)
		return;
	to_be_removed = NULL;
	pghot_hotmap_remove_node(node);
}

/* Another node's section, whose number shares a ready bit, goes in the midst of a scan. */
static void sections_of_others_are_left_alone(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	struct hot_node *other = pghot_hotmap_add_node(OTHER_NID, 0, FAST_NID);

	memory_set_threshold(1);
	memory_add_section(node, 700);
	memory_add_section(node, HOT_READY + 701);
	memory_add_section(other, HOT_READY + 700);
	memory_access(section_nr_to_pfn(700));
	memory_access(section_nr_to_pfn(HOT_READY + 701));
	readers_left = 0;
	to_be_removed = other;
	rcu_unlocked = remove_it;
	CHECK(count_ready(node) == 2);
	rcu_unlocked = NULL;
	CHECK(!to_be_removed);
	pghot_hotmap_remove_node(node);
}

static int record_as(int nid, unsigned int src)
{
	return pghot_record_access(section_nr_to_pfn(300), nid, src, shim_clock);
}

static void wrong_arguments_are_refused(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);

	memory_set_threshold(rec_format()->freq_max);
	memory_add_section(node, 300);
	CHECK(record_as(-2, PGHOT_SRC_HWHINTS) == -EINVAL);
	CHECK(record_as(MAX_NUMNODES, PGHOT_SRC_HWHINTS) == -EINVAL);
	CHECK(record_as(FAST_NID, PGHOT_MAX_SRC) == -EINVAL);
	CHECK(record_as(FAST_NID, -1) == -EINVAL);
	pghot_enabled_sources.value = BIT(OTHER_SRC);
	CHECK(record_as(FAST_NID, PGHOT_SRC_HWHINTS) == -EOPNOTSUPP);
	CHECK(pghot_record_range(section_nr_to_pfn(300), 1, FAST_NID, PGHOT_SRC_HWHINTS,
				 shim_clock, 1) == -EOPNOTSUPP);
	CHECK(memory_rec(section_nr_to_pfn(300)) == 0);
	CHECK(record_as(FAST_NID, OTHER_SRC) == 0);
	CHECK(record_as(NUMA_NO_NODE, OTHER_SRC) == 0);
	pghot_hotmap_remove_node(node);
}

/* To record an access reads and writes two cache lines of a section: a head, and the record's. */
static void an_access_touches_two_cache_lines(void)
{
	static struct hot_section section;
	unsigned int line;

	CHECK(sizeof(struct hot_head) == L1_CACHE_BYTES);
	CHECK(offsetof(struct hot_section, rec8) % L1_CACHE_BYTES == 0);
	CHECK(offsetof(struct hot_section, rec32) % L1_CACHE_BYTES == 0);
	for (line = 0; line < HOT_LINES; line++) {
		unsigned long aged = (unsigned long)hotmap_aged(&section, line);
		unsigned long accessor = (unsigned long)hotmap_accessor(&section, line);

		CHECK(aged / L1_CACHE_BYTES == accessor / L1_CACHE_BYTES);
		CHECK(accessor < (unsigned long)section.ready);
	}
}

/* An access from a node to a page of a section, and who uses that page then. */
static struct hot_user used_by(unsigned long nr, unsigned int index, int nid)
{
	struct hot_user user;

	pghot_record_access(section_nr_to_pfn(nr) + index, nid, PGHOT_SRC_HWHINTS, shim_clock);
	rcu_read_lock_sched();
	user = hotmap_user(rec_format(), hotmap_section(nr), index,
			   memory_rec(section_nr_to_pfn(nr) + index));
	rcu_read_unlock_sched();
	return user;
}

static bool is_user(struct hot_user user, int nid, bool shared)
{
	return user.nid == nid && user.shared == shared;
}

/* In default mode: of a shared line, accesses that make a page ready say who used it last. */
static void lines_know_who_uses_them(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);

	memory_set_threshold(2);
	memory_add_section(node, 400);
	CHECK(is_user(used_by(400, 0, NUMA_NO_NODE), NUMA_NO_NODE, false));
	CHECK(is_user(used_by(400, 1, FAST_NID), FAST_NID, false));
	CHECK(is_user(used_by(400, 2, FAST_NID), FAST_NID, false));
	CHECK(is_user(used_by(400, 3, NUMA_NO_NODE), FAST_NID, false));
	/* A second node, and first accesses after it. */
	CHECK(is_user(used_by(400, 4, OTHER_NID), OTHER_NID, true));
	CHECK(is_user(used_by(400, 5, FAST_NID), OTHER_NID, true));
	CHECK(is_user(used_by(400, 6, SLOW_NID), OTHER_NID, true));
	/* One that makes a page ready, one to a page that is, and one that does not know a node. */
	CHECK(is_user(used_by(400, 1, FAST_NID), FAST_NID, true));
	CHECK(is_user(used_by(400, 1, OTHER_NID), FAST_NID, true));
	CHECK(is_user(used_by(400, 2, NUMA_NO_NODE), FAST_NID, true));
	CHECK(is_user(used_by(400, 4, OTHER_NID), OTHER_NID, true));
	/* The next line, and this one when it was aged, with some records left. */
	CHECK(is_user(used_by(400, REC_LINE, FAST_NID), FAST_NID, false));
	shim_clock += SECOND;
	CHECK(is_user(used_by(400, 7, OTHER_NID), OTHER_NID, false));
	pghot_hotmap_remove_node(node);
}

int main(void)
{
	unsigned int precise;

	srandom(1);
	an_access_touches_two_cache_lines();
	for (precise = 0; precise < 2; precise++) {
		memory_start(precise);
		records_match_the_model();
		sections_come_and_go();
		parts_share_a_node();
		ranges_are_recorded();
		lines_may_be_aged_ahead();
		pages_are_put_back();
		scans_go_on_where_they_ended();
		sections_of_others_are_left_alone();
		if (!precise)
			lines_know_who_uses_them();
		wrong_arguments_are_refused();
		memory_end();
	}
	return check_report();
}
