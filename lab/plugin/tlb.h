/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The translation lookaside buffers (TLBs) of a CPU: which pages it can translate without a
 * look at the page tables, and where a walk of the tables has to begin if it cannot.
 *
 * There is a first level for pages of 4 KiB and one for pages of 2 MiB, and a second level that
 * both share. Pages of 1 GiB have one level. All replace what was used least recently. Pages
 * that are global in the page tables outlive a change of the address space, and tags of address
 * spaces (PCIDs) do not exist: the lab's CPU model has none.
 *
 * Paging-structure caches hold the upper levels of walks (Intel SDM, volume 3, 4.10.3): with the
 * entry of a page directory (PDE) only the last table is left to read. They are fully
 * associative.
 *
 * Only what memory accesses translate is in here. Instruction fetches are not modelled.
 */
#ifndef TIERMEM_TLB_H
#define TIERMEM_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"

/* Page sizes, by the level of the tables that maps them. */
enum tlb_size {
	TLB_4K,
	TLB_2M,
	TLB_1G,
	TLB_SIZES,
};

/* Bits of a virtual address that level @level of the tables translates, from 0 (4 KiB) on. */
#define TLB_SHIFT(level)	(12 + 9 * (level))

/* Paging-structure caches: entries of page directories, of the tables above, and above these. */
#define TLB_UPPER		3

/* Numbers of entries and ways. */
struct tlb_geometry {
	uint64_t entries;
	uint64_t ways;
};

struct tlb_config {
	struct tlb_geometry l1[TLB_SIZES];
	struct tlb_geometry l2;
	uint64_t l2_ns;			/* time of a hit in the second level */
	uint64_t upper[TLB_UPPER];	/* entries, fully associative */
};

struct tlb {
	struct cache l1[TLB_SIZES];	/* by page number; a dirty line is a global page */
	struct cache l2;		/* pages of 4 KiB and 2 MiB */
	struct cache upper[TLB_UPPER];	/* [level - 1]: by the address bits down to that level */
	uint64_t entries;		/* of the second level */
	uint64_t replaced;		/* entries that had to leave since the last full flush */
	uint64_t root;			/* address of the top table; 0: not known */
	unsigned int levels;		/* of tables below the root: 4 or 5 */
};

enum tlb_result {
	TLB_HIT,	/* in the first level */
	TLB_L2_HIT,
	TLB_MISS,
};

/* True if @g makes a power-of-two number of sets, at least one. */
static inline bool tlb_geometry_ok(struct tlb_geometry g)
{
	return cache_geometry_ok(g.entries * CACHE_LINE, g.ways);
}

/* An empty TLB of @cfg's sizes. False if out of memory. */
bool tlb_init(struct tlb *t, const struct tlb_config *cfg);

void tlb_free(struct tlb *t);

/* Look @vaddr up. A hit in the second level is copied into the first. */
enum tlb_result tlb_lookup(struct tlb *t, uint64_t vaddr);

/* A walk has found @vaddr in a page of @size. */
void tlb_insert(struct tlb *t, uint64_t vaddr, enum tlb_size size, bool global);

/*
 * The levels that a walk for @vaddr has to read, from the returned one down: 0 is the table of
 * pages of 4 KiB. Those above are known from the paging-structure caches.
 */
unsigned int tlb_walk_from(struct tlb *t, uint64_t vaddr);

/* A walk has read the entry of @vaddr on @level, which is not 0, and it names a table. */
void tlb_walked(struct tlb *t, uint64_t vaddr, unsigned int level);

/* The guest changes its address space: all but global pages are forgotten. */
void tlb_flush_space(struct tlb *t);

/* Everything is forgotten. */
void tlb_flush_everything(struct tlb *t);

/* The page at @vaddr is forgotten, and all of the paging-structure caches. */
void tlb_flush_address(struct tlb *t, uint64_t vaddr);

#endif
