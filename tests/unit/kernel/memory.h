/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for tests of the record map: page frames from 0 on, all of which are absent
 * until a test says otherwise, and what the rest of the module would supply.
 */
#ifndef UNIT_MEMORY_H
#define UNIT_MEMORY_H

#include <stdlib.h>
#include <sys/mman.h>

#include <linux/mm.h>

#include "core/hotmap.h"
#include "core/hotscan.h"
#include "pghot.h"
#include "core/nodestat.h"
#include "core/rule.h"
#include "core/source.h"
#include "core/tunable.h"

#define FAST_NID	0
#define SLOW_NID	1
#define OTHER_NID	2
#define NR_NIDS		3

#define SECOND		1000000000ull

/* When a page is hot: what pghot_rule says. */
static u32 memory_window;
static unsigned int memory_threshold;

static inline void memory_set_rule(u32 window, unsigned int threshold)
{
	memory_window = window;
	memory_threshold = threshold;
	rec_set_rule(rec_format(), &pghot_rule, window, threshold);
}

static inline void memory_set_threshold(unsigned int threshold)
{
	memory_set_rule(memory_window, threshold);
}

/* An empty map in one of the modes, and absent memory. */
static inline void memory_start(bool precise)
{
	static struct node_stats counters[NR_NIDS];
	size_t size = MEM_MAP_PAGES * sizeof(struct page);
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		abort();
	mem_map = map;
	pghot_node_stats = counters;
	pghot_precise.on = precise;
	pghot_enabled_sources.value = BIT(PGHOT_MAX_SRC) - 1;
	memory_set_rule(rec_format()->keep / 2, 2);
	shim_clock = 1000 * SECOND;
	if (pghot_hotmap_init())
		abort();
}

static inline void memory_end(void)
{
	pghot_hotmap_exit();
	munmap(mem_map, MEM_MAP_PAGES * sizeof(struct page));
}

/* Pages in use, each on its own, or absent ones. */
static inline void memory_set(unsigned long pfn, unsigned long nr, int nid, bool present)
{
	unsigned long i;

	for (i = pfn; i < pfn + nr; i++)
		mem_map[i] = (struct page) {
			.flags = present ? BIT(PG_lru) | BIT(PG_online) : 0,
			.refcount = present,
			.nid = nid,
		};
}

static inline void memory_add_section(struct hot_node *node, unsigned long nr)
{
	memory_set(section_nr_to_pfn(nr), PAGES_PER_SECTION, node->nid, true);
	if (pghot_hotmap_add(node, section_nr_to_pfn(nr), section_nr_to_pfn(nr + 1), FAST_NID))
		abort();
}

/* Base pages that are one folio from now on. */
static inline void memory_make_folio(unsigned long head, unsigned int order)
{
	unsigned long i;

	mem_map[head].flags |= BIT(PG_head);
	mem_map[head + 1].flags = order;
	for (i = 1; i < 1ul << order; i++) {
		mem_map[head + i].flags &= ~BIT(PG_lru);
		mem_map[head + i].refcount = 0;
		mem_map[head + i].compound_head = (unsigned long)&mem_map[head] + 1;
	}
}

/* The record of a page frame of the map, as it is. */
static inline u32 memory_rec(unsigned long pfn)
{
	u32 rec;

	rcu_read_lock_sched();
	rec = hotmap_rec(rec_format(), hotmap_find(pfn), pfn % PAGES_PER_SECTION);
	rcu_read_unlock_sched();
	return rec;
}

/* An access now. */
static inline int memory_access(unsigned long pfn)
{
	return pghot_record_access(pfn, FAST_NID, PGHOT_SRC_HWHINTS, shim_clock);
}

/* Take the record, as kmigrated does with one that it is done with. True: it was ready. */
static inline bool memory_take(struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	u32 rec = hotmap_rec(f, section, index);

	do {
		if (!rec_ready(f, rec))
			return false;
	} while (!hotmap_change(f, section, index, &rec, 0));
	return true;
}

#endif /* UNIT_MEMORY_H */
