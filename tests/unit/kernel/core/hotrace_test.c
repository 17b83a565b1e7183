// SPDX-License-Identifier: GPL-2.0
/*
 * Recorders against one another, a scan, and sections that are taken away, in both
 * modes. A record becomes ready once and is taken once: the sums must agree.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "check.h"
#include "memory.h"

#define RECORDERS	2
#define ACCESSES	400000
/* Sections whose pages are recorded, with ready bits in two words. */
#define FIRST_SECTION	511ul
#define NR_SECTIONS	2ul
/* Few pages, so that recorders meet; some of each line, and lines far apart. */
#define NR_PAGES	64ul
#define STRIDE		1009

struct recorder {
	pthread_t thread;
	unsigned int number;
	u64 step_ns;
	unsigned long recorded;
	unsigned long stale;
	unsigned long made_ready;
};

/* Of access.c, for each thread. */
PGHOT_DECLARE_COUNTER(made_ready);

static int nr_running;

static unsigned long some_pfn(unsigned int *seed)
{
	return section_nr_to_pfn(FIRST_SECTION) + rand_r(seed) % NR_PAGES * STRIDE %
	       (NR_SECTIONS * PAGES_PER_SECTION);
}

static void *record_accesses(void *arg)
{
	struct recorder *r = arg;
	unsigned int seed = r->number;
	unsigned long i;

	rcu_thread = 1 + r->number;
	for (i = 0; i < ACCESSES; i++) {
		u64 now = __atomic_add_fetch(&shim_clock, r->step_ns, __ATOMIC_RELAXED);

		int ret = pghot_record_access(some_pfn(&seed), r->number, PGHOT_SRC_HWHINTS, now);

		/* The other may have moved the clock far on meanwhile. */
		r->recorded += ret >= 0;
		r->stale += ret == -ESTALE;
	}
	r->made_ready = made_ready;
	__atomic_fetch_sub(&nr_running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void recorders_start(struct recorder *recorders, u64 step_ns)
{
	unsigned int i;

	nr_running = RECORDERS;
	for (i = 0; i < RECORDERS; i++) {
		recorders[i] = (struct recorder) { .number = i, .step_ns = step_ns };
		if (pthread_create(&recorders[i].thread, NULL, record_accesses, &recorders[i]))
			abort();
	}
}

static bool recorders_run(void)
{
	return __atomic_load_n(&nr_running, __ATOMIC_SEQ_CST);
}

/* Adds them up in the first. */
static void recorders_join(struct recorder *recorders)
{
	unsigned int i;

	pthread_join(recorders[0].thread, NULL);
	for (i = 1; i < RECORDERS; i++) {
		pthread_join(recorders[i].thread, NULL);
		recorders[0].recorded += recorders[i].recorded;
		recorders[0].stale += recorders[i].stale;
		recorders[0].made_ready += recorders[i].made_ready;
	}
}

static enum hotscan_verdict visit(void *arg, struct hot_section *section, unsigned int index)
{
	unsigned long *taken = arg;

	/* Some wait for the next pass, as kmigrated's do. */
	if (index % 3 == 0 && recorders_run())
		return HOTSCAN_KEPT;
	*taken += memory_take(section, index);
	return HOTSCAN_DONE;
}

static void scan(struct hot_node *node, unsigned long *taken)
{
	hotscan(rec_format(), node, HOT_WAITING, visit, taken);
	hotscan(rec_format(), node, HOT_FRESH, visit, taken);
}

static unsigned long ready_left(void)
{
	unsigned long pfn = section_nr_to_pfn(FIRST_SECTION), i, left = 0;

	for (i = 0; i < NR_SECTIONS * PAGES_PER_SECTION; i++)
		left += rec_ready(rec_format(), memory_rec(pfn + i));
	return left;
}

/* Scans only when told that something is ready: no ready record is left in the end. */
static void nothing_ready_is_lost(u64 step_ns)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long expired = pghot_nodestat_get(SLOW_NID, NODE_STAT_EXPIRED);
	struct recorder recorders[RECORDERS];
	unsigned long taken = 0, i;
	bool kept = false, running;

	for (i = 0; i < NR_SECTIONS; i++)
		memory_add_section(node, FIRST_SECTION + i);
	memory_set_threshold(1);

	recorders_start(recorders, step_ns);
	do {
		running = recorders_run();
		if (atomic_xchg(&node->pending, 0) || kept) {
			scan(node, &taken);
			kept = hotscan_any(node, HOT_WAITING);
		}
	} while (running);
	recorders_join(recorders);
	expired = pghot_nodestat_get(SLOW_NID, NODE_STAT_EXPIRED) - expired;

	CHECK(!kept);
	CHECK(recorders[0].recorded + recorders[0].stale == RECORDERS * ACCESSES);
	CHECK(recorders[0].recorded > RECORDERS * ACCESSES / 2);
	CHECK(ready_left() == 0);
	CHECK(taken > 0);
	CHECK(taken + expired == recorders[0].made_ready);
	pghot_hotmap_remove_node(node);
}

/* One page after another of a line becomes ready, as soon as the last are all gone. */
#define BURSTS	20000u
#define BURST	4u

static unsigned int bursts_begun, bursts_done;

static unsigned long burst_pfn(unsigned int burst, unsigned int page)
{
	return section_nr_to_pfn(FIRST_SECTION) +
	       burst * REC_LINE % (NR_SECTIONS * PAGES_PER_SECTION) + page;
}

static void *record_bursts(void *unused)
{
	unsigned int burst, page;

	rcu_thread = 1;
	for (burst = 0; burst < BURSTS; burst++) {
		while (__atomic_load_n(&bursts_begun, __ATOMIC_SEQ_CST) <= burst)
			sched_yield();
		for (page = 0; page < 1 + burst % BURST; page++)
			memory_access(burst_pfn(burst, page));
		__atomic_store_n(&bursts_done, burst + 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/* What becomes ready at any moment of a scan is in it, or in the next, which is asked for. */
static void last_ready_is_not_lost(void)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long taken = 0, lost = 0, made = 0, i;
	unsigned int burst, page;
	pthread_t thread;
	bool done;

	for (i = 0; i < NR_SECTIONS; i++)
		memory_add_section(node, FIRST_SECTION + i);
	bursts_begun = 0;
	bursts_done = 0;
	if (pthread_create(&thread, NULL, record_bursts, NULL))
		abort();
	for (burst = 0; burst < BURSTS; burst++) {
		__atomic_store_n(&bursts_begun, burst + 1, __ATOMIC_SEQ_CST);
		do {
			done = __atomic_load_n(&bursts_done, __ATOMIC_SEQ_CST) > burst;
			if (atomic_xchg(&node->pending, 0))
				scan(node, &taken);
		} while (!done);
		for (page = 0; page < 1 + burst % BURST; page++, made++)
			lost += memory_rec(burst_pfn(burst, page)) != 0;
	}
	pthread_join(thread, NULL);
	CHECK(lost == 0);
	CHECK(taken == made);
	pghot_hotmap_remove_node(node);
}

/* Sections go and come back while they are recorded to, and scanned. */
static void sections_may_go(void)
{
	unsigned long start = section_nr_to_pfn(FIRST_SECTION), taken = 0, rounds = 0;
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	struct recorder recorders[RECORDERS];
	unsigned long i;

	for (i = 0; i < NR_SECTIONS; i++)
		memory_add_section(node, FIRST_SECTION + i);

	recorders_start(recorders, 0);
	do {
		scan(node, &taken);
		pghot_hotmap_remove(node, start + rounds % 2 * PAGES_PER_SECTION,
				    start + NR_SECTIONS * PAGES_PER_SECTION);
		scan(node, &taken);
		if (pghot_hotmap_add(node, start, start + NR_SECTIONS * PAGES_PER_SECTION,
				     FAST_NID))
			abort();
		rounds++;
	} while (recorders_run());
	recorders_join(recorders);

	scan(node, &taken);
	CHECK(rounds > 0);
	CHECK(node->nr_sections == NR_SECTIONS);
	CHECK(recorders[0].recorded > 0);
	CHECK(recorders[0].made_ready >= taken);
	CHECK(ready_left() == 0);
	pghot_hotmap_remove_node(node);
}

int main(void)
{
	unsigned int precise;

	for (precise = 0; precise < 2; precise++) {
		memory_start(precise);
		nothing_ready_is_lost(0);
		/* Lines are aged all the time, and records expire. */
		nothing_ready_is_lost(SECOND / 50);
		last_ready_is_not_lost();
		sections_may_go();
		memory_end();
	}
	return check_report();
}
