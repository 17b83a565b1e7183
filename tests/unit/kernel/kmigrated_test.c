// SPDX-License-Identifier: GPL-2.0
/*
 * kmigrated's passes, with the real records, scan and throttle, and with stand-ins for what
 * picks targets and moves pages: is everybody's turn kept, is each target's budget its own,
 * and what does a pass cost where much is ready and little can be promoted?
 */
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "memory.h"
#include "promote/throttle.h"

#include "promote/kmigrated.c"
#include "promote/judge.c"

#define FIRST	800ul
#define PAGES	(2 * PAGES_PER_SECTION)

nodemask_t pghot_slow_nodes;

/* The targets: what is left of their room, and their throttles. */
static unsigned long room[NR_NIDS];
static struct throttle throttles[NR_NIDS];
static struct throttle_limits limits;

static struct kmigrated *k_under_test;

/* What happened: looks at pages, pages taken, and how often each was. */
static unsigned long looks, taken, taken_to[NR_NIDS];
static unsigned char times[PAGES];
static unsigned long stop_after;

bool kthread_should_stop(void)
{
	return stop_after && taken >= stop_after;
}

u64 pghot_cputime_ns(void)
{
	return 0;
}

bool pghot_promoter_is_dirty(struct folio *folio)
{
	looks++;
	return false;
}

bool pghot_folio_may_be_lru(struct folio *folio)
{
	return true;
}

bool pghot_folio_is_pinned(struct folio *folio)
{
	return false;
}

enum budget_verdict pghot_budget_ask(struct folio *folio)
{
	return BUDGET_GO;
}

unsigned int pghot_budget_pass(u64 cost, bool refused)
{
	return 0;
}

int pghot_allowed_nodes(struct folio *folio, nodemask_t *nodes)
{
	return 0;
}

bool pghot_target_exists(const nodemask_t *allowed)
{
	return true;
}

int pghot_target_pick(int slow, int preferred, unsigned int nr_pages, const nodemask_t *allowed)
{
	if (preferred != NUMA_NO_NODE && room[preferred])
		return preferred;
	return room[FAST_NID] ? FAST_NID : NUMA_NO_NODE;
}

bool pghot_target_all_in(const nodemask_t *nodes)
{
	/* All pages may go everywhere. */
	if (nodes == &k_under_test->judge.allowed)
		return true;
	return node_isset(FAST_NID, *nodes) && node_isset(OTHER_NID, *nodes);
}

enum throttle_verdict pghot_admit(int nid, unsigned int nr, unsigned int age_ms, bool counted)
{
	const struct throttle_page page = {
		.now_ms = pghot_admit_now(), .age_ms = age_ms, .nr = nr, .counted = counted,
	};

	return pghot_throttle_ask(&throttles[nid], &limits, &page);
}

void pghot_admit_return(int nid, unsigned int nr)
{
	pghot_throttle_return(&throttles[nid], nr);
}

unsigned int pghot_admit_now(void)
{
	return shim_clock / NSEC_PER_MSEC;
}

unsigned int pghot_admit_next_second(int nid)
{
	return throttles[nid].second_start + 1001;
}

bool pghot_promoter_isolate(struct folio *folio)
{
	return true;
}

void pghot_promoter_add(struct promoter *promoter, struct folio *folio, int from, int nid)
{
	room[nid]--;
	taken++;
	taken_to[nid]++;
	times[folio_pfn(folio) - section_nr_to_pfn(FIRST)]++;
}

unsigned int pghot_promoter_finish(struct promoter *promoter)
{
	static unsigned long before;
	unsigned int promoted = taken - before;

	before = taken;
	return promoted;
}

int pghot_promoter_init(struct promoter *promoter, int nid)
{
	return 0;
}

void pghot_promoter_exit(struct promoter *promoter)
{
}

/* Pages from @first on are used once more, from a node. */
static void use(unsigned long first, unsigned long nr, int nid)
{
	unsigned long i;

	for (i = first; i < first + nr; i++)
		pghot_record_access(section_nr_to_pfn(FIRST) + i, nid, PGHOT_SRC_HWHINTS,
				    shim_clock);
}

/* All that waits is in use all the time, from nowhere in particular. */
static void keep_hot(void)
{
	unsigned long base = section_nr_to_pfn(FIRST), i;

	for (i = 0; i < PAGES; i++)
		if (rec_ready(rec_format(), memory_rec(base + i)))
			use(i, 1, NUMA_NO_NODE);
}

static struct kmigrated *begin(unsigned long pages_per_s)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, FAST_NID);
	int nid;

	memory_set_threshold(1);
	memory_add_section(node, FIRST);
	memory_add_section(node, FIRST + 1);
	node_set(SLOW_NID, pghot_slow_nodes);
	limits = (struct throttle_limits){
		.reference_ms = 3000, .pages_per_s = pages_per_s, .tune_ms = 60000,
	};
	for (nid = 0; nid < NR_NIDS; nid++) {
		room[nid] = ~0ul / 2;
		pghot_throttle_init(&throttles[nid], pghot_admit_now());
		taken_to[nid] = 0;
	}
	memset(times, 0, sizeof(times));
	stop_after = 0;
	k_under_test = pghot_kmigrated_start(node);
	return k_under_test;
}

static void end(struct kmigrated *k)
{
	struct hot_node *node = k->node;

	pghot_kmigrated_stop(k);
	pghot_hotmap_remove_node(node);
	shim_clock += 100 * SECOND;
}

/* Passes for so long, ns, with their pauses. Returns how many. */
static unsigned long run(struct kmigrated *k, u64 ns)
{
	u64 until = shim_clock + ns;
	unsigned long passes = 0;

	do {
		shim_clock += pass(k) * (u64)NSEC_PER_MSEC + NSEC_PER_MSEC / 10;
		passes++;
	} while (k->pass.left && shim_clock < until);
	return passes;
}

/* More is hot than fits, and what is promoted comes back and is hot again. */
static void all_get_their_turn(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long i, round, never = 0;

	use(0, PAGES, FAST_NID);
	room[OTHER_NID] = 0;
	for (round = 0; round < 70; round++) {
		room[FAST_NID] = 1000;
		pass(k);
		CHECK(k->pass.left);
		for (i = 0; i < PAGES; i++)
			if (!rec_ready(rec_format(), memory_rec(section_nr_to_pfn(FIRST) + i)))
				use(i, 1, FAST_NID);
	}
	for (i = 0; i < PAGES; i++)
		never += !times[i];
	CHECK(never == 0);
	end(k);
}

/* One target has had its pages for this second; the other has not. */
static void budgets_are_the_targets_own(void)
{
	struct kmigrated *k = begin(256);
	unsigned long second;

	use(0, 20000, FAST_NID);
	use(PAGES_PER_SECTION, 20000, OTHER_NID);
	for (second = 0; second < 4; second++) {
		unsigned long before = taken_to[OTHER_NID];

		run(k, SECOND + SECOND / 100);
		CHECK(taken_to[OTHER_NID] - before >= 255);
		keep_hot();
		use(20000 + second * 300, 300, FAST_NID);
	}
	/* Five seconds begin in that time; the first page of each comes free. */
	CHECK(taken_to[FAST_NID] <= 5 * 257);
	CHECK(taken_to[OTHER_NID] <= 5 * 257);
	end(k);
}

/* Looks at pages do not grow with what waits for room. */
static void full_nodes_cost_little(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long passes;

	use(0, PAGES, FAST_NID);
	room[FAST_NID] = 0;
	room[OTHER_NID] = 0;
	looks = 0;
	passes = run(k, 4 * SECOND);
	CHECK(looks <= 2 * passes);
	CHECK(passes <= 16);

	/* A page that somebody frees now and then does not bring passes back to each 4 ms. */
	passes = 0;
	while (passes < 20) {
		keep_hot();
		room[FAST_NID] = 1;
		passes += run(k, SECOND / 10);
	}
	CHECK(k->backoff >= 500);

	/* Who makes room in earnest is followed soon. */
	while (k->backoff) {
		keep_hot();
		room[FAST_NID] = 64;
		if (!CHECK(passes++ < 100))
			break;
		run(k, 1);
	}
	end(k);
}

/* Under a rate limit, looks follow what is granted, not what waits. */
static void backlogs_cost_little(void)
{
	static const unsigned long backlog[] = { 4096, PAGES };
	unsigned long cost[ARRAY_SIZE(backlog)], i, second;

	for (i = 0; i < ARRAY_SIZE(backlog); i++) {
		struct kmigrated *k = begin(256);

		/* Of both targets, so that each has to be asked for. */
		use(0, backlog[i] / 2, FAST_NID);
		use(backlog[i] / 2, backlog[i] / 2, OTHER_NID);
		run(k, SECOND);
		looks = 0;
		for (second = 0; second < 3; second++) {
			keep_hot();
			run(k, SECOND);
		}
		cost[i] = looks;
		end(k);
	}
	CHECK(cost[0] > 0);
	/* What is granted, and one more look for each target and second. */
	CHECK(cost[1] <= 3 * (2 * 257 + 4));
	CHECK(cost[1] <= cost[0] + 8);
}

/* A pass that is to end promotes what it has taken, and looks at no more. */
static void passes_end_when_told(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long before = taken;

	use(0, PAGES, FAST_NID);
	stop_after = taken + 100;
	pass(k);
	CHECK(taken - before == 100);
	end(k);
}

int main(void)
{
	unsigned int precise;

	for (precise = 0; precise < 2; precise++) {
		memory_start(precise);
		all_get_their_turn();
		budgets_are_the_targets_own();
		full_nodes_cost_little();
		backlogs_cost_little();
		passes_end_when_told();
		memory_end();
	}
	return check_report();
}
