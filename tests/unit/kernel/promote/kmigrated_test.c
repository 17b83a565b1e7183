// SPDX-License-Identifier: GPL-2.0
/*
 * kmigrated's passes, with the real records, scan and throttle, and with stand-ins for what
 * picks targets and moves pages: is everybody's turn kept, is each target's budget its own,
 * and what does a pass cost where much is ready and little can be promoted?
 */
#include <stdlib.h>
#include <string.h>

#include <linux/memory_hotplug.h>
#include "check.h"
#include "memory.h"
#include "promote/throttle.h"

#include "promote/kmigrated.c"
#include "promote/judge.c"

#define FIRST	800ul
#define PAGES	(2 * PAGES_PER_SECTION)
#define MUCH	(8 * PAGES_PER_SECTION)

nodemask_t pghot_slow_nodes;

/* The targets: the administrator's choice, what is left of their room, and their throttles. */
static int chosen = NUMA_NO_NODE;
static unsigned long room[NR_NIDS];
static struct throttle throttles[NR_NIDS];
static struct throttle_limits limits;

static struct kmigrated *k_under_test;

/* What happened: looks at pages, pages taken, and how often each was. */
static unsigned long looks, taken, taken_to[NR_NIDS];
static unsigned char times[MUCH];
static unsigned long stop_after;

/* What is against all pages, and how often mappings were walked for it. */
static enum budget_verdict budget;
static int walk_error;
static u64 walk_ns;
static bool may_go, may_be_lru, isolates;
/* The node of the process that has all pages mapped. */
static int runs_on;
static unsigned long walks, refusals;
static unsigned char walked[MUCH];
static u64 charged;

bool kthread_should_stop(void)
{
	return stop_after && taken >= stop_after;
}

/* What a look takes on this machine, ns. */
static u64 look_takes;

u64 pghot_cputime_ns(void)
{
	return looks * look_takes;
}

bool pghot_promoter_is_dirty(struct folio *folio)
{
	looks++;
	return false;
}

struct folio *pghot_folio_get(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page && folio_try_get(page_folio(page)) ? page_folio(page) : NULL;
}

bool pghot_folio_may_be_lru(struct folio *folio)
{
	return may_be_lru;
}

bool pghot_folio_is_pinned(struct folio *folio)
{
	return false;
}

enum budget_verdict pghot_budget_ask(struct folio *folio)
{
	return budget;
}

void pghot_budget_refuse(struct folio *folio)
{
	refusals++;
}

void pghot_budget_charge(struct folio *folio, u64 cost)
{
	charged += cost;
}

unsigned int pghot_budget_pass(u64 cost, u64 charged, bool refused)
{
	return 0;
}

int pghot_allowed_ask(struct folio *folio, struct allowed *allowed)
{
	walks++;
	walked[folio_pfn(folio) - section_nr_to_pfn(FIRST)]++;
	*allowed = (struct allowed){ .home = runs_on, .cost_ns = walk_ns };
	return walk_error;
}

bool pghot_target_exists(const nodemask_t *allowed)
{
	return may_go;
}

int pghot_target_first(int slow, int preferred)
{
	if (chosen != NUMA_NO_NODE)
		return chosen;
	return preferred == NUMA_NO_NODE ? FAST_NID : preferred;
}

int pghot_target_pick(int slow, int preferred, unsigned int nr_pages, const nodemask_t *allowed)
{
	if (chosen != NUMA_NO_NODE)
		preferred = chosen;
	if (preferred != NUMA_NO_NODE && room[preferred])
		return preferred;
	return room[FAST_NID] ? FAST_NID : NUMA_NO_NODE;
}

bool pghot_target_all_in(const nodemask_t *nodes)
{
	/* All pages may go everywhere. */
	if (nodes == &k_under_test->judge.allowed.nodes)
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
	return isolates;
}

void pghot_promoter_add(struct promoter *promoter, struct folio *folio,
			const struct candidate *c)
{
	room[c->nid]--;
	taken++;
	taken_to[c->nid]++;
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
	promoter->nid = nid;
	return 0;
}

void pghot_promoter_exit(struct promoter *promoter)
{
}

/* Nothing is demoted, and so nothing is held back, and no room is made. */
bool pghot_policy_holds(unsigned long pfn)
{
	return false;
}

bool pghot_policy_swaps(void)
{
	return false;
}

void pghot_policy_promoted(unsigned long pfn)
{
}

void pghot_room_taken(int nid, unsigned int size)
{
}

unsigned int pghot_room_made(void)
{
	return 0;
}

void pghot_room_watch(struct room_waiter *waiter)
{
}

void pghot_room_unwatch(struct room_waiter *waiter)
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

/* How many there are. */
static unsigned long pages;

/* All that waits is in use all the time, from nowhere in particular. */
static void keep_hot(void)
{
	unsigned long base = section_nr_to_pfn(FIRST), i;

	for (i = 0; i < pages; i++)
		if (rec_ready(rec_format(), memory_rec(base + i)))
			use(i, 1, NUMA_NO_NODE);
}

static struct kmigrated *begin_with(unsigned long nr_pages, unsigned long pages_per_s)
{
	struct hot_node *node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	unsigned long nr;
	int nid;

	memory_set_threshold(1);
	pages = nr_pages;
	for (nr = 0; nr < pages / PAGES_PER_SECTION; nr++)
		memory_add_section(node, FIRST + nr);
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
	budget = BUDGET_GO;
	walk_error = 0;
	walk_ns = 0;
	may_go = true;
	may_be_lru = true;
	isolates = true;
	runs_on = NUMA_NO_NODE;
	k_under_test = pghot_kmigrated_start(node);
	return k_under_test;
}

static struct kmigrated *begin(unsigned long pages_per_s)
{
	return begin_with(PAGES, pages_per_s);
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

/* How many of the records are ready. */
static unsigned long nr_ready(void)
{
	unsigned long base = section_nr_to_pfn(FIRST), nr = 0, i;

	for (i = 0; i < pages; i++)
		nr += rec_ready(rec_format(), memory_rec(base + i));
	return nr;
}

/*
 * More pages of a target without rate than a pass looks at do not keep those of the other
 * target from theirs.
 */
static void large_backlogs_keep_nobody_waiting(void)
{
	const unsigned long others = MUCH - 4000;
	struct kmigrated *k = begin_with(MUCH, 256);
	unsigned long second;

	CHECK(others * COST_SPENT > VAIN_WAITING);
	use(0, others, FAST_NID);
	use(others, 4000, OTHER_NID);
	run(k, SECOND + SECOND / 100);
	CHECK(taken_to[OTHER_NID] >= 256);
	for (second = 0; second < 6; second++) {
		unsigned long before = taken_to[OTHER_NID];

		keep_hot();
		run(k, SECOND + SECOND / 100);
		CHECK(taken_to[OTHER_NID] - before >= 255);
	}
	end(k);
}

/* Pages of which nobody knows the user, and those for which the administrator has chosen. */
static void known_targets_are_not_asked_again(int nid, int accessor)
{
	struct kmigrated *k = begin(256);

	chosen = nid;
	use(0, 20000, accessor);
	run(k, SECOND);
	looks = 0;
	keep_hot();
	run(k, SECOND);
	/* Those that are granted, and one more in each second. */
	CHECK(looks <= 2 * 258);
	chosen = NUMA_NO_NODE;
	end(k);
}

/* How many pages of a process of the other node go there, by who is said to use them in turn. */
static unsigned long go_to_other(int first, int last)
{
	struct kmigrated *k = begin(~0u);

	use(0, REC_LINE, first);
	use(0, REC_LINE, last);
	runs_on = OTHER_NID;
	pass(k);
	CHECK(taken_to[FAST_NID] + taken_to[OTHER_NID] == REC_LINE);
	end(k);
	return taken_to[OTHER_NID];
}

/* Where a process runs counts if the records do not know a node, or know of several. */
static void processes_say_where_they_run(void)
{
	CHECK(go_to_other(NUMA_NO_NODE, NUMA_NO_NODE) == REC_LINE);
	CHECK(go_to_other(OTHER_NID, FAST_NID) == REC_LINE);
	CHECK(go_to_other(FAST_NID, FAST_NID) == 0);
}

/* What has become ready at once is not looked at in one go, but all of it in turn. */
static void fresh_ones_are_looked_at_by_and_by(void)
{
	struct kmigrated *k = begin_with(MUCH, ~0u);
	unsigned long passes = 0, before;

	use(0, MUCH, FAST_NID);
	may_go = false;
	looks = 0;
	do {
		before = looks;
		pass(k);
		passes++;
		CHECK((looks - before) * COST_LOOK <= VAIN_FRESH + COST_LOOK);
	} while (k->pass.left && CHECK(passes < 10));
	CHECK(looks == MUCH);
	CHECK(passes > 1);
	end(k);
}

/* A pass is as long on a slow machine: what looks take is measured there. */
static void looks_are_timed(void)
{
	struct kmigrated *k = begin_with(MUCH, ~0u);
	unsigned long before;

	may_go = false;
	look_takes = 16000;
	use(0, MUCH, FAST_NID);
	pass(k);
	before = looks;
	pass(k);
	CHECK(looks > before);
	CHECK((looks - before) * look_takes <= VAIN_FRESH + VAIN_FRESH / 10);
	look_takes = 0;
	end(k);
}

/* Pages that are mapped so often that a look takes 3 ms, and cannot be promoted just now. */
static void dear_looks_end_a_pass(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long before, i, seen;

	use(0, 200, FAST_NID);
	walk_ns = 3 * NSEC_PER_MSEC;
	walk_error = -EAGAIN;
	walks = 0;
	charged = 0;
	for (i = 0; i < 100; i++) {
		before = walks;
		pass(k);
		/* Of those that wait one, and of the others what takes 20 ms. */
		CHECK(walks - before <= 1 + 7);
	}
	CHECK(charged == walks * walk_ns);
	/* The first ones do not keep the others from being looked at. */
	walk_error = 0;
	walk_ns = 0;
	seen = taken;
	for (i = 0; i < 10; i++)
		pass(k);
	CHECK(taken - seen == 200);
	end(k);
}

/* Likewise within one line: all of its pages have their turn. */
static void dear_looks_go_round(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long i;

	use(0, REC_LINE, FAST_NID);
	walk_ns = 3 * NSEC_PER_MSEC;
	walk_error = -EAGAIN;
	memset(walked, 0, sizeof(walked));
	for (i = 0; i < 2 * REC_LINE; i++)
		pass(k);
	for (i = 0; i < REC_LINE; i++)
		CHECK(walked[i] >= 1 && walked[i] <= 6);
	end(k);
}

/* Mappings are walked for no page that its cgroup's budget keeps where it is. */
static void budget_comes_before_mappings(void)
{
	static const enum budget_verdict refused[] = { BUDGET_LIMIT, BUDGET_CPU, BUDGET_NEVER };
	struct kmigrated *k = begin(~0u);
	unsigned long i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		use(i * 100, 100, FAST_NID);
		walks = 0;
		refusals = 0;
		budget = refused[i];
		pass(k);
		CHECK(walks == 0 && refusals == 0);
	}
	end(k);
}

/* Who has pages that may be promoted wants a share of CPU time, and only they. */
static void shares_are_for_those_who_can_use_them(void)
{
	struct kmigrated *k = begin(~0u);

	use(0, 100, FAST_NID);
	refusals = 0;
	budget = BUDGET_CPU_NEW;
	may_go = false;
	pass(k);
	CHECK(refusals == 0);
	CHECK(nr_ready() == 0);
	may_go = true;
	use(100, 1, FAST_NID);
	pass(k);
	CHECK(refusals == 1);
	CHECK(nr_ready() == 1);
	/* Or who takes CPU time by having it looked for. */
	may_go = false;
	walk_ns = NSEC_PER_MSEC;
	pass(k);
	CHECK(refusals == 2);
	end(k);
}

/* What has become memory of the kernel is of no interest any more. */
static void records_of_other_use_go(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long base = section_nr_to_pfn(FIRST), i;

	use(0, 300, FAST_NID);
	for (i = 0; i < 300; i++)
		mem_map[base + i].flags &= ~BIT(PG_lru);
	/* Off its list for a moment: it is waited for. */
	pass(k);
	CHECK(nr_ready() == 300);
	may_be_lru = false;
	pass(k);
	CHECK(nr_ready() == 0);
	end(k);
}

/* A page that cannot be taken off its list has used nothing of its target's rate. */
static void failed_isolation_gives_the_rate_back(void)
{
	struct kmigrated *k = begin(256);

	use(0, 1000, FAST_NID);
	isolates = false;
	pass(k);
	CHECK(nr_ready() == 1000);
	isolates = true;
	pass(k);
	/* Of this second; the page that opened it came free. */
	CHECK(taken_to[FAST_NID] >= 255);
	/* They are candidates once. */
	CHECK(throttles[FAST_NID].candidates == 1000);
	end(k);
}

/* Who waits for the lock of the sections holds up memory hotplug. */
static void hotplug_is_let_pass(void)
{
	struct kmigrated *k = begin(~0u);
	unsigned long before = taken;

	use(0, 1000, FAST_NID);
	k->node->sections.contended = true;
	pass(k);
	CHECK(taken == before && k->pass.left);
	k->node->sections.contended = false;
	pass(k);
	CHECK(taken - before == 1000);
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
		large_backlogs_keep_nobody_waiting();
		known_targets_are_not_asked_again(NUMA_NO_NODE, NUMA_NO_NODE);
		known_targets_are_not_asked_again(OTHER_NID, FAST_NID);
		processes_say_where_they_run();
		fresh_ones_are_looked_at_by_and_by();
		looks_are_timed();
		dear_looks_end_a_pass();
		dear_looks_go_round();
		budget_comes_before_mappings();
		shares_are_for_those_who_can_use_them();
		records_of_other_use_go();
		failed_isolation_gives_the_rate_back();
		hotplug_is_let_pass();
		memory_end();
	}
	return check_report();
}
