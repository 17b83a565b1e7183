// SPDX-License-Identifier: GPL-2.0
#include "translate.h"

#include <string.h>

/* An entry of a page table (Intel SDM, volume 3, 4.5). */
#define ENTRY_PRESENT	UINT64_C(0x1)
#define ENTRY_PAGE	UINT64_C(0x80)	/* it maps a page, and names no table */
#define ENTRY_GLOBAL	UINT64_C(0x100)
#define ENTRY_ADDRESS	UINT64_C(0x000ffffffffff000)
#define ENTRIES		512

/* RAM offset of the entry for @vaddr in the table at @table; false if no RAM is there. */
static bool entry_offset(const struct memory *m, uint64_t table, uint64_t vaddr,
			 unsigned int level, uint64_t *off)
{
	uint64_t index = vaddr >> TLB_SHIFT(level) & (ENTRIES - 1);

	return nodemap_offset(&m->map, (table & ENTRY_ADDRESS) + index * sizeof(uint64_t), off);
}

static uint64_t read_entry(const struct memory *m, uint64_t off)
{
	int node = nodemap_node(&m->map, off);
	uint64_t first = node ? m->map.end[node - 1] : 0, entry;

	memcpy(&entry, m->host[node] + (off - first), sizeof(entry));
	return entry;
}

/*
 * All levels are read to find the page, but only those cost time that the paging-structure
 * caches do not have.
 */
static int64_t walk(struct memory *m, int i, uint64_t vaddr, int64_t now)
{
	struct tlb *t = &m->vcpu[i].tlb;
	unsigned int from = tlb_walk_from(t, vaddr), level = t->levels;
	uint64_t entry = t->root, off;
	int64_t stall = 0;

	while (level--) {
		if (!entry_offset(m, entry, vaddr, level, &off))
			break;
		entry = read_entry(m, off);
		if (level <= from)
			stall += memory_walk_read(m, i, off, now + stall);
		if (!(entry & ENTRY_PRESENT))
			break;
		if (!level || (level < TLB_SIZES && (entry & ENTRY_PAGE))) {
			tlb_insert(t, vaddr, level, entry & ENTRY_GLOBAL);
			break;
		}
		if (level <= from)
			tlb_walked(t, vaddr, level);
	}
	return stall;
}

int64_t translate_address(struct memory *m, int i, uint64_t vaddr, int64_t now)
{
	struct memory_counts *counts = &m->vcpu[i].counts;

	switch (tlb_lookup(&m->vcpu[i].tlb, vaddr)) {
	case TLB_HIT:
		return 0;
	case TLB_L2_HIT:
		counts->tlb_l2_hits++;
		counts->stall_ps += m->tlb_l2_ps;
		counts->translate_ps += m->tlb_l2_ps;
		return m->tlb_l2_ps;
	default:
		counts->walks++;
		return walk(m, i, vaddr, now);
	}
}
