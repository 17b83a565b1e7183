// SPDX-License-Identifier: GPL-2.0
/*
 * What do fair shares and limits cost with many memory cgroups, and how fair are they then?
 * shares REPEATS
 *
 * The functions are those that kmigrated and its workers call: for each ready page, for each page
 * that is taken, and for each batch. Pages of all groups come in no order, so that each is of
 * another group than the one before. Times are CPU time of the thread, which nobody else keeps from
 * the lock: about as long as the lock is held. Results are lines of JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/cgroup.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "core/hotmap.h"
#include "core/textfile.h"
#include "core/tunable.h"
#include "cputime.h"
#include "promote/budget.h"
#include "promote/cgroups.h"
#include "promote/fairshare.h"
#include "random.h"
#include "wrapper/memcg.h"

#define MAX_GROUPS	10000u
#define LIMITS		64u	/* as many as can be set */
#define CALLS		(1u << 19)
#define ROLLS		200u
#define BATCH		512u
#define MAX_REPEATS	100u
/* Windows in which all want everything, before the one that counts. */
#define WINDOWS		4u

/* The map has no part in this. */
unsigned int pghot_hot_parts = 1;

static const unsigned int sizes[] = { 1, 8, 100, 1000, 10000 };

struct folio {
	struct cgroup *cgroup;
};

static struct cgroup root = { .ancestors = { &root } };
static struct cgroup_subsys_state memory = { .flags = CSS_ONLINE };
static struct cgroup groups[MAX_GROUPS];
static struct folio folios[MAX_GROUPS];
static u64 pages[MAX_GROUPS];
static unsigned short order[CALLS];
static unsigned int nr_groups, nr_limits, repeats;
static double figures[MAX_REPEATS];
static struct random chance = { 1 };

char log_said[256];
nodemask_t pghot_slow_nodes;

struct mem_cgroup *pghot_memcg_get(struct folio *folio)
{
	return (struct mem_cgroup *)folio->cgroup;
}

void pghot_memcg_put(struct mem_cgroup *memcg)
{
}

struct cgroup *pghot_memcg_cgroup(struct mem_cgroup *memcg)
{
	return (struct cgroup *)memcg;
}

void pghot_memcg_put_cgroup(struct cgroup *cgroup)
{
}

struct cgroup *cgroup_get_from_path(const char *path)
{
	return &groups[strtoul(path + 1, NULL, 10) - 1];
}

static void make_groups(void)
{
	unsigned int i;

	for (i = 0; i < MAX_GROUPS; i++) {
		groups[i] = (struct cgroup){
			.self.flags = CSS_ONLINE, .subsys = { &memory },
			.ancestors = { &root, &groups[i] }, .level = 1, .id = i + 1,
		};
		folios[i].cgroup = &groups[i];
	}
}

/* A limit that is never reached, or none, for each of the first groups. */
static void set_limits(unsigned int nr, const char *limit)
{
	char text[32];
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (pghot_cgroups_file.set(text, snprintf(text, sizeof(text), "/%u %s", i + 1,
							  limit)))
			abort();
}

static void report(const char *what)
{
	unsigned int i;

	printf("{\"what\": \"%s\", \"groups\": %u, \"limits\": %u, \"values\": [", what, nr_groups,
	       nr_limits);
	for (i = 0; i < repeats; i++)
		printf("%s%.1f", i ? ", " : "", figures[i]);
	printf("]}\n");
	fflush(stdout);
}

static void ask_all(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pghot_budget_ask(&folios[order[i]]);
}

static void take_all(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pghot_budget_take(pghot_memcg_get(&folios[order[i]]), 1);
}

static void settle_all(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pghot_budget_settle(pghot_memcg_get(&folios[order[i]]), FAIR_PAGE_NS, FAIR_PAGE_NS,
				    1);
}

/* ns for each call. */
static void measure(const char *what, void (*call_all)(void))
{
	unsigned int i;

	for (i = 0; i < repeats; i++) {
		double before;

		shim_clock += NSEC_PER_SEC;
		ask_all();
		before = cpu_time();
		call_all();
		figures[i] = (cpu_time() - before) / CALLS;
	}
	report(what);
}

/* What it costs to look at the clock twice, ns. */
static double clock_cost(void)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < ROLLS; i++)
		sum -= cpu_time() - cpu_time();
	return sum / ROLLS;
}

/* ns for the first question after so many seconds, before which all groups took something. */
static void measure_roll(const char *what, unsigned int seconds)
{
	unsigned int i, roll, group;

	for (i = 0; i < repeats; i++) {
		figures[i] = -clock_cost();
		for (roll = 0; roll < ROLLS; roll++) {
			double before;

			for (group = 0; group < nr_groups; group++) {
				pghot_budget_ask(&folios[group]);
				pghot_budget_take(pghot_memcg_get(&folios[group]), 1 + group);
			}
			shim_clock += seconds * (u64)NSEC_PER_SEC;
			before = cpu_time();
			pghot_budget_ask(&folios[0]);
			figures[i] += (cpu_time() - before) / ROLLS;
		}
	}
	report(what);
}

/* One group's turn: a batch, if it may have one. */
static bool promote(unsigned int group)
{
	struct mem_cgroup *memcg = pghot_memcg_get(&folios[group]);
	enum budget_verdict verdict = pghot_budget_ask(&folios[group]);
	u64 taken;

	if (verdict == BUDGET_CPU_NEW)
		pghot_budget_refuse(&folios[group]);
	if (verdict != BUDGET_GO)
		return false;
	taken = pghot_budget_take(memcg, BATCH);
	pghot_budget_settle(memcg, taken, BATCH * FAIR_PAGE_NS, BATCH);
	pages[group] += BATCH;
	return true;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* All groups want everything, in turn: what they get in a window, sorted, of what is their due. */
static void measure_fairness(void)
{
	unsigned int window, i;
	u64 sum = 0;
	bool any;

	for (window = 0; window <= WINDOWS; window++) {
		memset(pages, 0, sizeof(pages));
		do {
			any = false;
			for (i = 0; i < nr_groups; i++)
				any |= promote(i);
		} while (any);
		shim_clock += NSEC_PER_SEC;
	}
	qsort(pages, nr_groups, sizeof(*pages), compare);
	for (i = 0; i < nr_groups; i++)
		sum += pages[i];
	printf("{\"what\": \"fairness\", \"groups\": %u, \"least\": %.4f, \"middle\": %.4f, "
	       "\"most\": %.4f}\n", nr_groups, (double)pages[0] * nr_groups / sum,
	       (double)pages[nr_groups / 2] * nr_groups / sum,
	       (double)pages[nr_groups - 1] * nr_groups / sum);
	fflush(stdout);
}

static void measure_all(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		order[i] = random_below(&chance, nr_groups);
	/* After so long everything is forgotten. */
	shim_clock += 100ull * NSEC_PER_SEC;
	measure("ask", ask_all);
	measure("take", take_all);
	measure("settle", settle_all);
}

int main(int argc, char **argv)
{
	unsigned int i;

	repeats = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (!repeats || repeats > MAX_REPEATS) {
		fprintf(stderr, "shares: wants REPEATS, 1 to %u\n", MAX_REPEATS);
		return 1;
	}
	shim_clock = NSEC_PER_SEC;
	pghot_promote_cpu_percent.value = 50;
	pghot_budget_init();
	make_groups();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		nr_groups = sizes[i];
		measure_all();
		measure_roll("second", 1);
		measure_roll("minute", 60);
		shim_clock += 100ull * NSEC_PER_SEC;
		measure_fairness();
	}
	set_limits(LIMITS, "1048576");
	nr_limits = LIMITS;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		nr_groups = sizes[i];
		measure_all();
	}
	set_limits(LIMITS, "max");
	return 0;
}
