// SPDX-License-Identifier: GPL-2.0
#include "tlb.h"

/* Tells pages of 2 MiB from pages of 4 KiB in the second level, which both share. */
#define LARGE	(UINT64_C(1) << 60)

static uint64_t page_of(uint64_t vaddr, unsigned int level)
{
	return vaddr >> TLB_SHIFT(level);
}

static uint64_t l2_key(uint64_t vaddr, enum tlb_size size)
{
	return page_of(vaddr, size) | (size == TLB_2M ? LARGE : 0);
}

/* A TLB is a cache of page numbers. */
static bool level_init(struct cache *c, struct tlb_geometry g)
{
	return cache_init(c, g.entries * CACHE_LINE, g.ways);
}

bool tlb_init(struct tlb *t, const struct tlb_config *cfg)
{
	int i;

	for (i = 0; i < TLB_SIZES; i++)
		if (!level_init(&t->l1[i], cfg->l1[i]))
			return false;
	for (i = 0; i < TLB_UPPER; i++)
		if (!level_init(&t->upper[i],
				(struct tlb_geometry){ cfg->upper[i], cfg->upper[i] }))
			return false;
	t->entries = cfg->l2.entries;
	return level_init(&t->l2, cfg->l2);
}

void tlb_free(struct tlb *t)
{
	int i;

	for (i = 0; i < TLB_SIZES; i++)
		cache_free(&t->l1[i]);
	for (i = 0; i < TLB_UPPER; i++)
		cache_free(&t->upper[i]);
	cache_free(&t->l2);
}

enum tlb_result tlb_lookup(struct tlb *t, uint64_t vaddr)
{
	uint64_t victim, *set;
	enum tlb_size size;

	for (size = TLB_4K; size < TLB_SIZES; size++)
		if (cache_find(&t->l1[size], page_of(vaddr, size)))
			return TLB_HIT;
	for (size = TLB_4K; size < TLB_1G; size++) {
		if (!cache_find(&t->l2, l2_key(vaddr, size)))
			continue;
		set = cache_set(&t->l2, l2_key(vaddr, size));
		cache_access(&t->l1[size], page_of(vaddr, size), cache_dirty(set[0]), &victim);
		return TLB_L2_HIT;
	}
	return TLB_MISS;
}

void tlb_insert(struct tlb *t, uint64_t vaddr, enum tlb_size size, bool global)
{
	uint64_t victim = CACHE_NONE;

	cache_access(&t->l1[size], page_of(vaddr, size), global, &victim);
	if (size != TLB_1G) {
		victim = CACHE_NONE;
		cache_access(&t->l2, l2_key(vaddr, size), global, &victim);
	}
	t->replaced += victim != CACHE_NONE;
}

unsigned int tlb_walk_from(struct tlb *t, uint64_t vaddr)
{
	unsigned int level;

	for (level = 1; level <= TLB_UPPER; level++)
		if (cache_find(&t->upper[level - 1], page_of(vaddr, level)))
			return level - 1;
	return TLB_UPPER;
}

void tlb_walked(struct tlb *t, uint64_t vaddr, unsigned int level)
{
	uint64_t victim;

	if (level <= TLB_UPPER)
		cache_access(&t->upper[level - 1], page_of(vaddr, level), false, &victim);
}

static void flush_upper(struct tlb *t)
{
	int i;

	for (i = 0; i < TLB_UPPER; i++)
		cache_flush(&t->upper[i]);
}

/* What is left moves to the front of its set, as empty ways are behind the others. */
static void keep_global(struct cache *c)
{
	uint64_t *set = c->way, *end = c->way + (c->set_mask + 1) * c->ways;
	unsigned int w, kept;

	for (; set < end; set += c->ways) {
		for (w = 0, kept = 0; w < c->ways; w++)
			if (cache_dirty(set[w]))
				set[kept++] = set[w];
		while (kept < c->ways)
			set[kept++] = CACHE_NONE;
	}
}

void tlb_flush_space(struct tlb *t)
{
	int i;

	for (i = 0; i < TLB_SIZES; i++)
		keep_global(&t->l1[i]);
	keep_global(&t->l2);
	flush_upper(t);
	t->replaced = 0;
	t->root = 0;
}

void tlb_flush_everything(struct tlb *t)
{
	int i;

	for (i = 0; i < TLB_SIZES; i++)
		cache_flush(&t->l1[i]);
	cache_flush(&t->l2);
	flush_upper(t);
	t->replaced = 0;
	t->root = 0;
}

/* As if it had been used least recently, and then replaced by nothing. */
static void forget(struct cache *c, uint64_t line)
{
	uint64_t *set = cache_set(c, line);
	unsigned int w;

	if (!cache_find(c, line))
		return;
	for (w = 1; w < c->ways; w++)
		set[w - 1] = set[w];
	set[c->ways - 1] = CACHE_NONE;
}

void tlb_flush_address(struct tlb *t, uint64_t vaddr)
{
	enum tlb_size size;

	for (size = TLB_4K; size < TLB_SIZES; size++) {
		forget(&t->l1[size], page_of(vaddr, size));
		if (size != TLB_1G)
			forget(&t->l2, l2_key(vaddr, size));
	}
	flush_upper(t);
}
