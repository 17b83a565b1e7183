// SPDX-License-Identifier: GPL-2.0
/*
 * Which cache lines does recording an access write, and do other CPUs write them at the same time?
 * lines MODE
 *
 * CPUs of a large machine take turns: in each round, each of them records one access to a page of a
 * hot set, by the module's own functions, in which all writes to shared memory are counted
 * (writes.h). Two CPUs meet if they write to one line less than a round apart. Either kmigrated
 * takes what is ready, and the pages are used again, as if others were hot in their place. Or all
 * pages of the set are ready, and wait. kmigrated's own writes do not count. Results are lines of
 * JSON.
 */
#include <stdio.h>
#include <string.h>

#include <linux/time64.h>

#include "memory.h"
#include "random.h"

#define CPUS		128u
#define NODES		4u
#define FIRST		2048ul		/* section where slow memory begins */
#define SECTIONS	8192ul		/* 1 TiB */
#define HOT		(1ul << 18)	/* pages, 1 GiB */
#define RATE		10000u		/* accesses that each CPU records in a second */
#define STEP		(NSEC_PER_SEC / (RATE * CPUS))
#define LOOK		(4 * NSEC_PER_MSEC)
#define WARM_UP		(2ull * NSEC_PER_SEC)
#define LENGTH		(4ull * NSEC_PER_SEC)
#define WRITERS		20		/* bits of a line's place in the table */

enum kind {
	RECORD,
	HEAD,		/* time of the last ageing, and accessor, of some lines of records */
	SECTION,	/* ready bits of a section */
	NODE,		/* ready bits of a node, and its pending flag */
	KINDS,
};

static const char * const kind_names[] = { "record", "head", "section", "node" };

/* Who wrote a line last. */
struct writer {
	unsigned long line;
	unsigned long at;	/* number of the access */
	unsigned long pfn;
	unsigned int cpu;
};

/* Writes, meetings, and those of them that were for other pages. */
struct count {
	unsigned long writes, meetings, false_ones;
};

/* Where the pages are, who uses them, and what becomes of them. */
struct scene {
	bool spread;	/* as far apart as the memory is large, instead of side by side */
	bool shared;	/* all CPUs use all pages, instead of those of a node a part of them */
	bool waiting;	/* pages that are ready are not taken */
};

static struct writer writers[1ul << WRITERS];
static struct count counts[KINDS];
static struct hot_node *node;
static struct hot_section *section;
static struct writer now;
static unsigned long accesses, taken;
static bool recording, counting;

static bool is_in(const volatile void *p, const void *start, size_t size)
{
	return (unsigned long)p - (unsigned long)start < size;
}

static enum kind kind_of(const volatile void *p)
{
	if (is_in(p, node, sizeof(*node)))
		return NODE;
	if (is_in(p, section->head, sizeof(section->head)))
		return HEAD;
	if (is_in(p, section->ready, sizeof(section->ready)))
		return SECTION;
	if (is_in(p, section->rec32, PAGES_PER_SECTION * rec_format()->bytes))
		return RECORD;
	return KINDS;
}

void count_write(const volatile void *p)
{
	unsigned long line = (unsigned long)p / L1_CACHE_BYTES;
	struct writer *last = &writers[line * 0x9e3779b97f4a7c15ul >> (64 - WRITERS)];
	enum kind kind = recording ? kind_of(p) : KINDS;

	if (kind == KINDS)
		return;
	if (counting && !(last->line == line && last->at == now.at)) {
		counts[kind].writes++;
		if (last->line == line && now.at - last->at < CPUS && last->cpu != now.cpu) {
			counts[kind].meetings++;
			counts[kind].false_ones += last->pfn != now.pfn;
		}
	}
	*last = now;
	last->line = line;
}

static enum hotscan_verdict take(void *arg, struct hot_section *in, unsigned int index)
{
	taken += memory_take(in, index) && counting;
	return HOTSCAN_DONE;
}

static void look(void)
{
	atomic_xchg(&node->pending, 0);
	hotscan(rec_format(), node, HOT_FRESH, take, NULL);
}

static unsigned long draw(struct random *r, const struct scene *scene, unsigned int cpu)
{
	unsigned long nr = random_below(r, scene->shared ? HOT : HOT / NODES);

	if (!scene->shared)
		nr += cpu % NODES * (HOT / NODES);
	if (scene->spread)
		nr *= SECTIONS * PAGES_PER_SECTION / HOT;
	return section_nr_to_pfn(FIRST) + nr;
}

static void record(unsigned int cpu, unsigned long pfn)
{
	now = (struct writer){ .at = now.at + 1, .pfn = pfn, .cpu = cpu };
	section = hotmap_find(pfn);
	recording = true;
	if (pghot_record_access(pfn, cpu % NODES, PGHOT_SRC_HWHINTS, shim_clock) < 0)
		abort();
	recording = false;
	accesses += counting;
}

static void simulate(const struct scene *scene)
{
	u64 start = shim_clock, next_look = start;
	struct random r = { 1 };
	unsigned int cpu = 0;

	for (; shim_clock < start + WARM_UP + LENGTH; shim_clock += STEP) {
		counting = shim_clock >= start + WARM_UP;
		record(cpu, draw(&r, scene, cpu));
		cpu = (cpu + 1) % CPUS;
		if (!scene->waiting && shim_clock >= next_look) {
			look();
			next_look += LOOK;
		}
	}
	counting = false;
	look();
}

static void report(const struct scene *scene)
{
	unsigned int kind;

	accesses = 0;
	taken = 0;
	memset(counts, 0, sizeof(counts));
	simulate(scene);
	printf("{\"mode\": \"%s\", \"spread\": %s, \"shared\": %s, \"waiting\": %s, "
	       "\"accesses\": %lu, \"taken\": %lu",
	       rec_format() == &rec_precise ? "precise" : "default",
	       scene->spread ? "true" : "false", scene->shared ? "true" : "false",
	       scene->waiting ? "true" : "false", accesses, taken);
	for (kind = 0; kind < KINDS; kind++)
		printf(", \"%s\": {\"writes\": %lu, \"meetings\": %lu, \"false\": %lu}",
		       kind_names[kind], counts[kind].writes, counts[kind].meetings,
		       counts[kind].false_ones);
	printf("}\n");
	fflush(stdout);
}

/* All page frames are alike. */
static void add_memory(void)
{
	static struct page page = {
		.flags = BIT(PG_lru) | BIT(PG_online), .refcount = 1, .nid = SLOW_NID,
	};

	mem_map = &page;
	node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
	if (pghot_hotmap_add(node, section_nr_to_pfn(FIRST), section_nr_to_pfn(FIRST + SECTIONS),
			     FAST_NID))
		abort();
}

int main(int argc, char **argv)
{
	bool precise = argc == 2 && !strcmp(argv[1], "precise");
	unsigned int i;

	if (argc != 2 || (!precise && strcmp(argv[1], "default"))) {
		fprintf(stderr, "lines: wants MODE (default or precise)\n");
		return 1;
	}
	memory_start(precise);
	add_memory();
	for (i = 0; i < 8; i++) {
		const struct scene scene = {
			.spread = i & 1, .shared = i & 2, .waiting = i & 4,
		};

		report(&scene);
	}
	return 0;
}
