// SPDX-License-Identifier: GPL-2.0
/*
 * What records cost in user space: measure TERABYTES REPEATS [scans], one mode per program. With
 * "scans" only scans are measured, and memory.
 *
 * The module's own files are compiled against the headers in include/, with a map as
 * large as the kernel's would be. Results are lines of JSON, with one figure for
 * each repeat. A figure is CPU time of the measuring thread. All page frames share one
 * struct page: that the kernel may find the page's own not in the cache is left out.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <linux/mm.h>

#include "cputime.h"
#include "core/hotscan.h"
#include "core/nodestat.h"
#include "core/rule.h"
#include "pghot.h"

#define PAGES_PER_TERABYTE	(1ul << 28)
/* Fast memory comes first: 256 GiB. */
#define START_PFN		(1ul << 26)
#define SLOW_NID		1
#define USER_NID		0

#define MAX_THREADS	2
#define MAX_REPEATS	100
#define RECORDS		(1ul << 20)
#define HOT_PAGES	(1ul << 12)
#define AGED_LINES	(1ul << 14)
#define EMPTY_SCANS	1000

#define SECOND		1000000000ull

static unsigned long terabytes, nr_pages;
static unsigned int repeats;
static double figures[MAX_REPEATS];
static unsigned long hot_pfns[HOT_PAGES];
static struct hot_node *node;

static void fail(const char *what)
{
	fprintf(stderr, "measure: %s\n", what);
	exit(1);
}

static const char *mode(void)
{
	return rec_format() == &rec_precise ? "precise" : "default";
}

static void say(const char *what)
{
	fprintf(stderr, "%s, %lu TB: %s\n", mode(), terabytes, what);
}

/* One line: what was measured, and where (more of the line's JSON), per repeat. */
static void report(const char *what, const char *where)
{
	unsigned int i;

	printf("{\"what\": \"%s\", \"mode\": \"%s\", \"terabytes\": %lu, %s, \"values\": [", what,
	       mode(), terabytes, where);
	for (i = 0; i < repeats; i++)
		printf("%s%.3f", i ? ", " : "", figures[i]);
	printf("]}\n");
	fflush(stdout);
}

/* Steps through all numbers below a power of two, each once, in no order. */
static u64 step(u64 at)
{
	return at * 6364136223846793005ull + 1442695040888963407ull;
}

/* As many different pages as the largest power of two within @nr_pages, in all of the memory. */
static unsigned long page_at(u64 at)
{
	unsigned long sections = nr_pages / PAGES_PER_SECTION;
	unsigned int bits = 63 - __builtin_clzl(sections);
	unsigned long section = (at / PAGES_PER_SECTION & ((1ul << bits) - 1)) * sections >> bits;

	return START_PFN + section * PAGES_PER_SECTION + at % PAGES_PER_SECTION;
}

static void set_threshold(unsigned int threshold)
{
	rec_set_rule(rec_format(), &pghot_rule, rec_format()->keep / 2, threshold);
}

/* Never reached by a record. */
static unsigned int threshold_never(void)
{
	return rec_format()->freq_max + 1;
}

enum pattern {
	RANDOM,	/* any page of the map */
	AGED,	/* a page of any line, of all lines in turn */
	HOT,	/* any of a few pages, which lie anywhere */
};

struct recorder {
	pthread_t thread;
	unsigned int number;
	enum pattern pattern;
	u64 at;
	pthread_barrier_t *start;
	double ns;
};

static __always_inline unsigned long record_some(enum pattern pattern, u64 at)
{
	unsigned long i, pfn, recorded = 0;

	for (i = 0; i < RECORDS; i++) {
		at = step(at);
		if (pattern == RANDOM)
			pfn = page_at(at);
		else if (pattern == AGED)
			pfn = page_at(at * REC_LINE + (at >> 58));
		else
			pfn = hot_pfns[at >> 32 & (HOT_PAGES - 1)];
		recorded += pghot_record_access(pfn, USER_NID, PGHOT_SRC_HWHINTS, shim_clock) >= 0;
	}
	return recorded;
}

static void *recorder(void *arg)
{
	struct recorder *r = arg;
	unsigned long recorded;
	cpu_set_t allowed, cpu;
	unsigned int i, n;
	double before;

	/* The allowed CPU of this number, if there are so many. */
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (i = 0, n = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &allowed) && n++ == r->number) {
			CPU_ZERO(&cpu);
			CPU_SET(i, &cpu);
			pthread_setaffinity_np(pthread_self(), sizeof(cpu), &cpu);
		}
	}
	rcu_thread = r->number;
	pthread_barrier_wait(r->start);
	before = cpu_time();
	if (r->pattern == RANDOM)
		recorded = record_some(RANDOM, r->at);
	else if (r->pattern == AGED)
		recorded = record_some(AGED, r->at);
	else
		recorded = record_some(HOT, r->at);
	r->ns = (cpu_time() - before) / RECORDS;
	if (recorded != RECORDS)
		fail("accesses that were not recorded");
	return NULL;
}

/* ns per record, the mean of the threads. */
static double record_once(enum pattern pattern, unsigned int threads, u64 at)
{
	struct recorder recorders[MAX_THREADS];
	pthread_barrier_t start;
	unsigned int i;
	double sum = 0;

	pthread_barrier_init(&start, NULL, threads);
	for (i = 0; i < threads; i++) {
		struct recorder *r = &recorders[i];

		r->number = i;
		r->pattern = pattern;
		r->at = step(at * MAX_THREADS + i) << 20;
		r->start = &start;
		if (pthread_create(&r->thread, NULL, recorder, r))
			fail("cannot start a thread");
	}
	for (i = 0; i < threads; i++) {
		pthread_join(recorders[i].thread, NULL);
		sum += recorders[i].ns;
	}
	pthread_barrier_destroy(&start);
	return sum / threads;
}

static void measure_record(const char *name, enum pattern pattern, unsigned int threads)
{
	static u64 seed;
	char where[64];
	unsigned int i;

	if (pattern == HOT)
		record_once(pattern, 1, ++seed);
	for (i = 0; i < repeats; i++) {
		if (pattern == AGED)
			shim_clock += SECOND;
		figures[i] = record_once(pattern, threads, ++seed);
	}
	snprintf(where, sizeof(where), "\"pattern\": \"%s\", \"threads\": %u", name, threads);
	report("record", where);
}

/* What a scan visited: how many pages, and the sum of their numbers. */
struct visited {
	unsigned long n;
	unsigned long sum;
};

static enum hotscan_verdict visit_keep(void *arg, struct hot_section *section, unsigned int index)
{
	struct visited *visited = arg;

	visited->n++;
	visited->sum += section_nr_to_pfn(section->nr) + index;
	return HOTSCAN_KEPT;
}

static enum hotscan_verdict visit_drop(void *arg, struct hot_section *section, unsigned int index)
{
	u32 rec = hotmap_rec(rec_format(), section, index);

	while (!hotmap_change(rec_format(), section, index, &rec, 0))
		;
	visit_keep(arg, section, index);
	return HOTSCAN_DONE;
}

static noinline struct visited scan_keep(void)
{
	struct visited visited = { 0 };

	hotscan(rec_format(), node, HOT_WAITING, visit_keep, &visited);
	hotscan(rec_format(), node, HOT_FRESH, visit_keep, &visited);
	return visited;
}

static noinline struct visited scan_drop(void)
{
	struct visited visited = { 0 };

	hotscan(rec_format(), node, HOT_WAITING, visit_drop, &visited);
	hotscan(rec_format(), node, HOT_FRESH, visit_drop, &visited);
	return visited;
}

static void check(struct visited got, struct visited wanted)
{
	if (got.n != wanted.n || got.sum != wanted.sum)
		fail("a scan that visited other pages than those that are ready");
}

static void measure_records(void)
{
	struct visited hot = { .n = HOT_PAGES };
	unsigned long i;
	u64 at = 1;

	for (i = 0; i < HOT_PAGES; i++, at = step(at)) {
		hot_pfns[i] = page_at(at);
		hot.sum += hot_pfns[i];
	}

	say("recording");
	set_threshold(threshold_never());
	measure_record("random", RANDOM, 1);
	measure_record("random", RANDOM, 2);
	measure_record("hot", HOT, 1);
	measure_record("hot", HOT, 2);
	measure_record("aged", AGED, 1);
	set_threshold(2);
	measure_record("ready", HOT, 1);
	measure_record("ready", HOT, 2);
	check(scan_drop(), hot);
}

/* Access all pages of some lines, so that they are as new. */
static void fill_lines(void)
{
	unsigned long i, page;
	u64 at = 1;

	for (i = 0; i < AGED_LINES; i++, at = step(at)) {
		for (page = 0; page < REC_LINE; page++)
			pghot_record_access(page_at(at * REC_LINE) + page, USER_NID,
					    PGHOT_SRC_HWHINTS, shim_clock);
	}
}

/* ns for each of these lines. */
static double age_lines(u64 ns)
{
	const struct rec_format *f = rec_format();
	double before;
	unsigned long i;
	u64 at = 1;

	shim_clock += ns;
	before = cpu_time();
	for (i = 0; i < AGED_LINES; i++, at = step(at)) {
		unsigned long pfn = page_at(at * REC_LINE);

		hotmap_line_ref(f, hotmap_find(pfn), pfn % PAGES_PER_SECTION / REC_LINE,
				rec_bucket(f, shim_clock));
	}
	return (cpu_time() - before) / AGED_LINES;
}

static void measure_ageing(void)
{
	unsigned int i;

	say("ageing");
	set_threshold(threshold_never());
	rcu_read_lock_sched();
	for (i = 0; i < repeats; i++) {
		fill_lines();
		figures[i] = age_lines(SECOND);
	}
	report("age", "\"records\": \"kept\"");
	for (i = 0; i < repeats; i++) {
		fill_lines();
		figures[i] = age_lines(60 * SECOND);
	}
	report("age", "\"records\": \"expired\"");
	for (i = 0; i < repeats; i++)
		figures[i] = age_lines(SECOND);
	report("age", "\"records\": \"none\"");
	rcu_read_unlock_sched();
}

/* Make pages ready, anywhere or next to each other. */
static struct visited make_ready(unsigned long nr_ready, bool spread)
{
	struct visited ready = { .n = nr_ready };
	unsigned long i, pfn;
	u64 at = 1;

	set_threshold(1);
	for (i = 0; i < nr_ready; i++, at = step(at)) {
		pfn = spread ? page_at(at) : page_at(nr_pages / 2 + i);
		ready.sum += pfn;
		if (pghot_record_access(pfn, USER_NID, PGHOT_SRC_HWHINTS, shim_clock) < 0)
			fail("accesses that were not recorded");
	}
	return ready;
}

static void measure_scan(unsigned long nr_ready, bool spread)
{
	unsigned int i, scan, scans = nr_ready ? 1 : EMPTY_SCANS;
	struct visited ready = make_ready(nr_ready, spread);
	char where[64];

	for (i = 0; i < repeats; i++) {
		double before = cpu_time();

		for (scan = 0; scan < scans; scan++)
			check(scan_keep(), ready);
		figures[i] = (cpu_time() - before) / scans;
	}
	check(scan_drop(), ready);
	snprintf(where, sizeof(where), "\"ready\": %lu, \"spread\": %s", nr_ready,
		 spread ? "true" : "false");
	report("scan", where);
}

static void measure_scans(void)
{
	unsigned long nr_ready;

	say("scanning");
	measure_scan(0, true);
	measure_scan(1, true);
	for (nr_ready = 1000; nr_ready <= 1000000; nr_ready *= 10) {
		measure_scan(nr_ready, true);
		measure_scan(nr_ready, false);
	}
}

static void report_bytes(const char *what)
{
	printf("{\"what\": \"%s\", \"mode\": \"%s\", \"terabytes\": %lu, \"values\": [%lu]}\n",
	       what, mode(), terabytes, shim_bytes);
}

static void make_map(void)
{
	static struct page page = {
		.flags = BIT(PG_lru) | BIT(PG_online), .refcount = 1, .nid = SLOW_NID,
	};
	static struct node_stats counters[SLOW_NID + 1];

	say("making the map");
	/* As the kernel, whose vmalloc() maps base pages. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	mem_map = &page;
	pghot_node_stats = counters;
	shim_clock = 1000 * SECOND;

	if (pghot_hotmap_init())
		fail("no memory");
	report_bytes("bytes_empty");
	shim_bytes = 0;
	node = pghot_hotmap_add_node(SLOW_NID, 0, 0);
	if (!node || pghot_hotmap_add(node, START_PFN, START_PFN + nr_pages, 0))
		fail("no memory");
	report_bytes("bytes");
}

int main(int argc, char **argv)
{
	bool scans_only = argc == 4 && !strcmp(argv[3], "scans");

	if (argc != 3 && !scans_only)
		fail("wants TERABYTES (1 to 32), REPEATS, and \"scans\" if that is all");
	terabytes = strtoul(argv[1], NULL, 10);
	repeats = strtoul(argv[2], NULL, 10);
	if (!terabytes || terabytes > 32)
		fail("TERABYTES must be 1 to 32");
	if (!repeats || repeats > MAX_REPEATS)
		fail("REPEATS must be 1 to 100");
	nr_pages = terabytes * PAGES_PER_TERABYTE;

	make_map();
	if (!scans_only) {
		measure_records();
		measure_ageing();
	}
	measure_scans();
	return 0;
}
