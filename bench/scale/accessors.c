// SPDX-License-Identifier: GPL-2.0
/*
 * Does a page go to the node that uses it, if physical memory is fragmented? accessors MODE SEED
 *
 * A machine has four fast nodes with CPUs and one or two slow ones. The slow memory belongs to
 * processes in runs of page frames whose mean length is given. Most processes run on one node. One
 * runs on all of them. Accesses are recorded by the module's own functions, what is ready is found
 * by its own scan, and its own rule of interleaving picks the nodes. Nothing else is in the way:
 * all nodes have room, and there is no rate limit. Results are lines of JSON.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <linux/time64.h>

#include "memory.h"
#include "promote/interleave.h"
#include "random.h"
#include "zipf.h"

#define NODES		4		/* fast, numbered from 0 */
#define MAX_SLOW	2		/* numbered after these */
#define FIRST		800ul		/* section where slow memory begins */
#define SECTIONS	16ul		/* of all slow nodes, 2 GiB */
#define PAGES		(SECTIONS * PAGES_PER_SECTION)
#define PRIVATE		16		/* processes, PRIVATE / NODES on each node */
#define SHARED		PRIVATE		/* the one that runs on all nodes */
#define PROCESSES	(PRIVATE + 1)
/* Of so many runs and accesses, one is the shared process's. */
#define SHARED_PART	5

#define LENGTH		(5ull * NSEC_PER_SEC)
#define ACCESSES	200000			/* in a second, by all processes */
#define TICK		(4 * NSEC_PER_MSEC)

static const unsigned int run_lengths[] = { 1, 2, 4, 8, 16, 64, 512 };
/*
 * How often kmigrated looks at what is ready, ms: as a rule, and at most, when there is no room or
 * no budget and pages have to wait.
 */
static const unsigned int waits[] = { 4, 1000 };

/* In which order accesses are recorded. */
enum order {
	AS_THEY_COME,		/* each at once, as by hint faults and samples */
	BY_PROCESS,		/* a process's hot pages together, as by accessed bits */
	ORDERS,
};

/* What is done if the record does not tell which node uses the page. */
enum rule {
	BY_RECORD,		/* the node that used it last is one of those that use it */
	BY_PROCESS_NODE,	/* the node that the page's only process runs on, if it is one */
	RULES,
};

static const char * const order_names[] = { "as they come", "by process" };
static const char * const rule_names[] = { "record", "process" };

struct process {
	unsigned int nr;
	unsigned int *page;	/* numbers of its pages, from 0 */
	unsigned char *used;	/* of each: accesses since the process was last looked at */
	struct zipf zipf;
};

struct result {
	unsigned long own, elsewhere;	/* private pages */
	unsigned long placed[NODES];
	unsigned long shared[NODES];	/* of these */
};

static struct process processes[PROCESSES];
static unsigned char owner[PAGES];
static struct hot_node *slow[MAX_SLOW];
static struct interleave *use[MAX_SLOW];
static struct random chance;
static struct result result;
static unsigned int nr_slow, wait_ms;
static enum order order;
static enum rule rule;
static u64 next_look;

static unsigned long pfn_of(unsigned int page)
{
	return section_nr_to_pfn(FIRST) + page;
}

static unsigned int owner_of(unsigned int index, struct hot_section *section)
{
	return owner[section_nr_to_pfn(section->nr) + index - section_nr_to_pfn(FIRST)];
}

/* The node that a process runs on, NUMA_NO_NODE if it is more than one. */
static int home(unsigned int process)
{
	return process == SHARED ? NUMA_NO_NODE : (int)process % NODES;
}

/* The node of the thread that makes the next access. */
static int thread_node(unsigned int process)
{
	return process == SHARED ? (int)random_below(&chance, NODES) : home(process);
}

/* Lengths of which the mean is given. */
static unsigned int draw_length(unsigned int mean)
{
	double x = ldexp(random_u64(&chance) >> 11, -53);

	return mean == 1 ? 1 : 1 + (unsigned int)(log1p(-x) / log1p(-1.0 / mean));
}

static unsigned int draw_process(void)
{
	return random_once_in(&chance, SHARED_PART) ? SHARED : random_below(&chance, PRIVATE);
}

static void give_memory(unsigned int mean)
{
	unsigned int page = 0, left, i;

	for (i = 0; i < PROCESSES; i++)
		processes[i].nr = 0;
	while (page < PAGES) {
		unsigned int who = draw_process();
		struct process *p = &processes[who];

		for (left = draw_length(mean); left && page < PAGES; left--) {
			owner[page] = who;
			p->page[p->nr++] = page++;
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		memset(processes[i].used, 0, processes[i].nr);
		zipf_start(&processes[i].zipf, processes[i].nr, random_u64(&chance));
	}
}

/* As the module judges a page that nothing speaks against. */
static enum hotscan_verdict promote(void *arg, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	struct hot_user user = hotmap_user(f, section, index, hotmap_rec(f, section, index));
	unsigned int process = owner_of(index, section);
	struct interleave *s = arg;
	int nid;

	if (rule == BY_PROCESS_NODE && (user.shared || user.nid == NUMA_NO_NODE) &&
	    home(process) != NUMA_NO_NODE)
		user = (struct hot_user){ .nid = home(process) };
	nid = pghot_interleave_pick(s, user.nid, user.shared);
	pghot_interleave_note(s, user.nid);
	if (nid < 0 || nid >= NODES || !memory_take(section, index))
		abort();
	pghot_interleave_placed(s, nid, 1);
	/* The page is not there any more, and is not recorded again. */
	memory_set(section_nr_to_pfn(section->nr) + index, 1, section->node->nid, false);

	result.placed[nid]++;
	if (process == SHARED)
		result.shared[nid]++;
	else if (nid == home(process))
		result.own++;
	else
		result.elsewhere++;
	return HOTSCAN_DONE;
}

/* Time goes on. */
static void pass(u64 ns)
{
	unsigned int i;

	shim_clock += ns;
	if (shim_clock < next_look)
		return;
	next_look = shim_clock + wait_ms * (u64)NSEC_PER_MSEC;
	for (i = 0; i < nr_slow; i++)
		hotscan(rec_format(), slow[i], HOT_FRESH, promote, use[i]);
}

static void record(unsigned int process, unsigned int page, unsigned int weight)
{
	pghot_record_range(pfn_of(page), 1, thread_node(process), PGHOT_SRC_HWHINTS, shim_clock,
			   weight);
}

/* What a process does in a second. */
static unsigned int accesses_of(unsigned int who)
{
	if (who == SHARED)
		return ACCESSES / SHARED_PART;
	return ACCESSES / SHARED_PART * (SHARED_PART - 1) / PRIVATE;
}

static void access_all(void)
{
	unsigned int i;

	for (i = 0; i < ACCESSES / (NSEC_PER_SEC / TICK); i++) {
		unsigned int who = draw_process();
		struct process *p = &processes[who];

		record(who, p->page[zipf_item(&p->zipf, random_u64(&chance))], 1);
	}
	pass(TICK);
}

/* A second's accesses of one process, of which pages that were used twice are reported. */
static void access_one(unsigned int who)
{
	struct process *p = &processes[who];
	unsigned int i;

	for (i = 0; i < accesses_of(who); i++) {
		unsigned char *used = &p->used[zipf_item(&p->zipf, random_u64(&chance))];

		*used = min(*used + 1, 2);
	}
	for (i = 0; i < p->nr; i++) {
		if (p->used[i] == 2)
			record(who, p->page[i], 2);
		p->used[i] = 0;
	}
	pass(NSEC_PER_SEC / PROCESSES);
}

static void run(void)
{
	u64 end = shim_clock + LENGTH;
	unsigned int who = 0;

	next_look = shim_clock;
	while (shim_clock < end) {
		if (order == AS_THEY_COME)
			access_all();
		else
			access_one(who++ % PROCESSES);
	}
}

static void add_memory(void)
{
	static struct node_stats counters[NODES + MAX_SLOW];
	unsigned int i;

	pghot_node_stats = counters;
	for (i = 0; i < nr_slow; i++)
		slow[i] = pghot_hotmap_add_node(NODES + i, 0, 0);
	for (i = 0; i < SECTIONS; i++)
		memory_add_section(slow[i * nr_slow / SECTIONS], FIRST + i);
	for (i = 0; i < nr_slow; i++)
		pghot_interleave_init(use[i], NODES + nr_slow);
}

static void print_nodes(const char *name, const unsigned long *pages, const char *end)
{
	unsigned int i;

	printf("\"%s\": [", name);
	for (i = 0; i < NODES; i++)
		printf("%s%lu", i ? ", " : "", pages[i]);
	printf("]%s", end);
}

static void simulate(bool precise, unsigned int mean, unsigned long seed)
{
	unsigned int i;

	chance.state = seed;
	result = (struct result){ 0 };
	memory_start(precise);
	add_memory();
	give_memory(mean);
	run();
	printf("{\"mode\": \"%s\", \"order\": \"%s\", \"slow_nodes\": %u, \"wait_ms\": %u, ",
	       precise ? "precise" : "default", order_names[order], nr_slow, wait_ms);
	printf("\"rule\": \"%s\", \"run\": %u, \"seed\": %lu, \"own\": %lu, \"elsewhere\": %lu, ",
	       rule_names[rule], mean, seed, result.own, result.elsewhere);
	print_nodes("placed", result.placed, ", ");
	print_nodes("shared", result.shared, "}\n");
	fflush(stdout);
	for (i = 0; i < nr_slow; i++)
		pghot_hotmap_remove_node(slow[i]);
	memory_end();
}

/* All cases of a mode; they are the same for every seed. */
static void simulate_all(bool precise, unsigned long seed)
{
	unsigned int wait, i;

	for (nr_slow = 1; nr_slow <= MAX_SLOW; nr_slow++)
		for (order = 0; order < ORDERS; order++)
			for (wait = 0; wait < ARRAY_SIZE(waits); wait++)
				for (rule = 0; rule < RULES; rule++) {
					wait_ms = waits[wait];
					for (i = 0; i < ARRAY_SIZE(run_lengths); i++)
						simulate(precise, run_lengths[i], seed);
				}
}

int main(int argc, char **argv)
{
	bool precise = argc == 3 && !strcmp(argv[1], "precise");
	unsigned int i;

	if (argc != 3 || (!precise && strcmp(argv[1], "default"))) {
		fprintf(stderr, "accessors: wants MODE (default or precise) and SEED\n");
		return 1;
	}
	for (i = 0; i < MAX_SLOW; i++)
		use[i] = malloc(interleave_size(NODES + MAX_SLOW));
	for (i = 0; i < PROCESSES; i++) {
		processes[i].page = malloc(PAGES * sizeof(*processes[i].page));
		processes[i].used = malloc(PAGES);
	}
	simulate_all(precise, strtoul(argv[2], NULL, 10));
	return 0;
}
