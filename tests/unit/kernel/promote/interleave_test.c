// SPDX-License-Identifier: GPL-2.0
/*
 * Pseudo-interleaving: simulated workloads on 2 to 8 nodes, and what became of the
 * three criteria; the bounds by hand.
 */
#include <linux/minmax.h>
#include <linux/numa.h>
#include <stdlib.h>

#include "check.h"
#include "promote/interleave.h"
#include "random.h"

#define MAX_NODES	8
#define HUGE		512

static struct interleave *make(unsigned int nr)
{
	struct interleave *s = malloc(interleave_size(nr));

	pghot_interleave_init(s, nr);
	return s;
}

static void note(struct interleave *s, int nid, unsigned long times)
{
	while (times--)
		pghot_interleave_note(s, nid);
}

/* What is always true, and what the struct keeps for speed. */
static void check_sums(const struct interleave *s)
{
	uint64_t used = 0, placed = 0;
	uint32_t busiest = 0;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		used += s->node[i].used;
		placed += s->node[i].placed;
		busiest = max(busiest, s->node[i].used);
	}
	CHECK(used == s->used && used < INTERLEAVE_USED_MAX);
	CHECK(placed == s->placed && placed < INTERLEAVE_PLACED_MAX);
	CHECK(busiest == s->busiest);
}

/*
 * A workload: how much of its accesses each node makes, and which nodes touch the
 * shared pages last, which need not be the same.
 */
struct workload {
	unsigned int nr;
	unsigned int use[MAX_NODES];	/* of the sum of all */
	unsigned int last[MAX_NODES];	/* of the sum of all */
	unsigned int shared;		/* pages of 100 */
	unsigned int huge;		/* folios of 100 */
	bool even;			/* the nodes take turns as their use says, no chance */
};

/* What a simulation saw, in its own books that fade nothing. */
struct result {
	uint64_t used[MAX_NODES];
	uint64_t placed[MAX_NODES];
	uint64_t shared[MAX_NODES];	/* of placed */
};

static int draw(struct random *r, const unsigned int *weight, unsigned int nr)
{
	unsigned int sum = 0, i;
	uint64_t ball;

	for (i = 0; i < nr; i++)
		sum += weight[i];
	ball = random_below(r, sum);
	for (i = 0; ball >= weight[i]; i++)
		ball -= weight[i];
	return i;
}

/* The node that is furthest behind its part of the use. */
static int turn(const struct workload *w, const struct result *result)
{
	unsigned int i, next = 0;

	for (i = 1; i < w->nr; i++)
		if ((result->used[i] + 1) * w->use[next] < (result->used[next] + 1) * w->use[i])
			next = i;
	return next;
}

static void run(struct interleave *s, const struct workload *w, struct random *r,
		unsigned int folios, struct result *result)
{
	*result = (struct result){ 0 };
	while (folios--) {
		unsigned int nr = random_below(r, 100) < w->huge ? HUGE : 1;
		bool shared = random_below(r, 100) < w->shared;
		int user = w->even ? turn(w, result) : draw(r, w->use, w->nr);
		int accessor = shared ? draw(r, w->last, w->nr) : user, nid;

		pghot_interleave_note(s, user);
		nid = pghot_interleave_pick(s, accessor, shared);
		if (!shared)
			CHECK(nid == accessor);
		if (!CHECK(nid >= 0 && nid < (int)w->nr))
			return;
		pghot_interleave_placed(s, nid, nr);
		result->used[user]++;
		result->placed[nid] += nr;
		result->shared[nid] += shared ? nr : 0;
	}
	check_sums(s);
}

/* By some_use(), a node is clearly active or clearly not. */
static bool is_busy(const struct workload *w, unsigned int nid)
{
	return w->use[nid] >= 45;
}

static void some_use(struct random *r, struct workload *w)
{
	unsigned int i, busiest = random_below(r, w->nr);

	/* 45 to 100 for an active node, up to 20 for one that is not. */
	for (i = 0; i < w->nr; i++) {
		w->use[i] = random_once_in(r, 3) ? random_below(r, 21) : 45 + random_below(r, 56);
		w->last[i] = random_once_in(r, 3) ? 0 : random_log(r, 1, 1000);
	}
	w->use[busiest] = 100;
	w->last[random_below(r, w->nr)] += 1;
	w->even = random_once_in(r, 2);
}

/*
 * How far above what is meant the books may be. Use by chance is noisy, a few per cent
 * among 8 nodes, and a node fills up to its band when it looks busiest.
 */
static double tolerance(const struct workload *w)
{
	return w->even ? 1.01 : 1.15;
}

/* Memory for each use on the active nodes, the fullest against the emptiest. */
static double spread(const struct workload *w, const struct result *result)
{
	double fullest = 0, emptiest = 1e300;
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		double fill = (double)result->placed[i] / result->used[i];

		if (!is_busy(w, i))
			continue;
		fullest = max(fullest, fill);
		emptiest = min(emptiest, fill);
	}
	return fullest / emptiest;
}

/* Whoever touches it last: shared memory lies as the nodes use it, within the band. */
static void shared_follows_use(unsigned int nr, uint64_t seed)
{
	struct random r = { seed };
	struct workload w = { .nr = nr, .shared = 100, .huge = random_below(&r, 3) * 10 };
	struct interleave *s = make(nr);
	struct result result;
	unsigned int i;

	some_use(&r, &w);
	/* Starts with memory that is all on one node. */
	pghot_interleave_placed(s, random_below(&r, nr), random_log(&r, 1, 10000));
	run(s, &w, &r, 50000, &result);
	run(s, &w, &r, 100000, &result);
	CHECK(spread(&w, &result) < 4.0 / 3 * tolerance(&w));
	for (i = 0; i < nr; i++)
		CHECK(is_busy(&w, i) || result.placed[i] == 0);
	free(s);
}

/* One node touches all pages last: it keeps a third more, the others share evenly. */
static void band_is_a_third(unsigned int nr, uint64_t seed)
{
	struct random r = { seed };
	struct workload w = { .nr = nr, .shared = 100, .even = true };
	struct interleave *s = make(nr);
	struct result result;
	double first, other;
	unsigned int i;

	for (i = 0; i < nr; i++)
		w.use[i] = 50 + random_below(&r, 51);
	w.last[0] = 1;
	run(s, &w, &r, 50000, &result);
	run(s, &w, &r, 100000, &result);
	first = (double)result.placed[0] / result.used[0];
	for (i = 1; i < nr; i++) {
		other = (double)result.placed[i] / result.used[i];
		CHECK(first > 1.32 * other && first < 1.35 * other);
	}
	free(s);
}

/* Nobody knows who touched it: no band, just proportion. */
static void unknown_accessor_is_exact(unsigned int nr, uint64_t seed)
{
	struct random r = { seed };
	struct workload w = { .nr = nr };
	struct interleave *s = make(nr);
	struct result result = { 0 };
	unsigned int i;
	int user, nid;

	some_use(&r, &w);
	for (i = 0; i < 100000; i++) {
		user = w.even ? turn(&w, &result) : draw(&r, w.use, nr);
		pghot_interleave_note(s, user);
		nid = pghot_interleave_pick(s, NUMA_NO_NODE, random_once_in(&r, 2));
		if (!CHECK(nid >= 0 && nid < (int)nr))
			break;
		pghot_interleave_placed(s, nid, 1);
		result.used[user]++;
		result.placed[nid]++;
	}
	CHECK(spread(&w, &result) < tolerance(&w));
	free(s);
}

/*
 * Private memory is where it is used whatever the others do; shared memory fills up
 * what it leaves, and never goes where only private memory is used.
 */
static void private_and_shared(unsigned int nr, uint64_t seed)
{
	struct random r = { seed };
	struct workload w = { .nr = nr, .shared = 30 + random_below(&r, 60) };
	struct interleave *s = make(nr);
	struct result result;
	unsigned int i;

	some_use(&r, &w);
	run(s, &w, &r, 50000, &result);
	run(s, &w, &r, 100000, &result);
	CHECK(spread(&w, &result) < 4.0 / 3 * tolerance(&w));
	for (i = 0; i < nr; i++)
		CHECK(is_busy(&w, i) || result.shared[i] == 0);
	free(s);
}

/* Threads of a node that is not active touch shared pages: the pages do not go there. */
static void passing_by(void)
{
	struct random r = { 1 };
	struct workload w = { .nr = 4, .use = { 100, 80 }, .last = { 1, 1 }, .shared = 100 };
	struct interleave *s = make(4);
	struct result result;
	int i, away = 0;

	run(s, &w, &r, 50000, &result);
	for (i = 0; i < 1000; i++) {
		pghot_interleave_note(s, 2);
		CHECK(pghot_interleave_pick(s, 2, false) == 2);
		away += pghot_interleave_pick(s, 2, true) == 2;
		away += pghot_interleave_pick(s, NUMA_NO_NODE, true) == 2;
	}
	CHECK(away == 0);
	/* If it stays and works, it is one of them. */
	note(s, 2, 5000);
	CHECK(pghot_interleave_pick(s, 2, true) == 2);
	/* And once it has gone, what it left behind fades away. */
	run(s, &w, &r, 2 * INTERLEAVE_USED_MAX, &result);
	run(s, &w, &r, 200000, &result);
	CHECK(result.placed[2] == 0);
	CHECK(s->node[2].used == 0);
	free(s);
}

/* From nodes 0 and 1 to 2 and 3: within 2 * 16384 accesses all shared memory follows. */
static void workload_moves(void)
{
	struct random r = { 2 };
	const struct workload before = {
		.nr = 4, .use = { 100, 100 }, .last = { 1, 1 }, .shared = 100,
	};
	const struct workload after = {
		.nr = 4, .use = { 0, 0, 90, 60 }, .last = { 0, 0, 1, 1 }, .shared = 100,
	};
	struct interleave *s = make(4);
	struct result result;

	run(s, &before, &r, 1000000, &result);
	CHECK(result.placed[2] + result.placed[3] == 0);
	run(s, &after, &r, INTERLEAVE_USED_MAX, &result);
	/* The new nodes are preferred as soon as they are active. */
	CHECK(result.placed[2] + result.placed[3] > INTERLEAVE_USED_MAX / 2);
	run(s, &after, &r, INTERLEAVE_USED_MAX, &result);
	run(s, &after, &r, 60000, &result);
	CHECK(result.placed[0] + result.placed[1] == 0);
	CHECK(spread(&after, &result) < 4.0 / 3 * tolerance(&after));
	/* What was placed long ago is forgotten as well. */
	run(s, &after, &r, 4000000, &result);
	CHECK(s->node[0].placed < 100 && s->node[1].placed < 100);
	CHECK(s->node[0].used + s->node[1].used == 0);
	free(s);
}

static void by_hand(void)
{
	struct interleave *s = make(4);

	/* Nothing known. */
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, true) == NUMA_NO_NODE);
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, false) == NUMA_NO_NODE);
	CHECK(pghot_interleave_pick(s, 3, true) == 3);
	CHECK(pghot_interleave_pick(s, 3, false) == 3);
	/* What no node can be noted for. */
	note(s, NUMA_NO_NODE, 10);
	note(s, -2, 10);
	note(s, 4, 10);
	note(s, 1 << 30, 10);
	pghot_interleave_placed(s, NUMA_NO_NODE, 10);
	pghot_interleave_placed(s, 4, 10);
	check_sums(s);
	CHECK(s->used == 0 && s->placed == 0);

	/* More than a third of the busiest makes active, a third does not. */
	note(s, 0, 300);
	note(s, 1, 100);
	pghot_interleave_placed(s, 0, 30);
	CHECK(pghot_interleave_pick(s, 1, true) == 0);
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, true) == 0);
	note(s, 1, 1);
	CHECK(pghot_interleave_pick(s, 1, true) == 1);
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, true) == 1);
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, false) == 1);
	/* What it does not know counts as not active. */
	CHECK(pghot_interleave_pick(s, 4, true) == 1);
	CHECK(pghot_interleave_pick(s, 4, false) == 4);

	/* A third above the least filled is within the band, one page more is not. */
	pghot_interleave_init(s, 4);
	note(s, 2, 100);
	note(s, 3, 50);
	pghot_interleave_placed(s, 2, 800);
	pghot_interleave_placed(s, 3, 300);
	CHECK(pghot_interleave_pick(s, 2, true) == 2);
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, true) == 3);
	pghot_interleave_placed(s, 2, 1);
	CHECK(pghot_interleave_pick(s, 2, true) == 3);
	CHECK(pghot_interleave_pick(s, 2, false) == 2);
	CHECK(pghot_interleave_pick(s, 3, true) == 3);
	/* Less memory for each use, though more memory. */
	pghot_interleave_placed(s, 3, 101);
	CHECK(pghot_interleave_pick(s, NUMA_NO_NODE, true) == 2);
	free(s);
}

/* Billions of accesses and pages, from one node, from all, in folios of any size. */
static void never_overflows(unsigned int nr)
{
	struct random r = { nr };
	struct interleave *s = make(nr);
	unsigned int i;

	for (i = 0; i < 3000000; i++) {
		pghot_interleave_note(s, random_once_in(&r, 2) ? 0 : random_below(&r, nr));
		pghot_interleave_placed(s, random_below(&r, nr),
					random_once_in(&r, 1000) ? UINT32_MAX :
								   random_below(&r, 2000));
		if (random_once_in(&r, 1000))
			check_sums(s);
	}
	/* Half of all, and at least as much as any other: it is the busiest. */
	CHECK(s->busiest == s->node[0].used);
	free(s);
}

int main(void)
{
	static const unsigned int nodes[] = { 2, 3, 4, 8 };
	uint64_t seed;
	unsigned int i;

	by_hand();
	passing_by();
	workload_moves();
	for (i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		for (seed = 0; seed < 25; seed++) {
			shared_follows_use(nodes[i], seed);
			private_and_shared(nodes[i], seed);
			unknown_accessor_is_exact(nodes[i], seed);
		}
		band_is_a_third(nodes[i], seed);
	}
	never_overflows(1);
	never_overflows(2);
	never_overflows(1024);
	return check_report();
}
