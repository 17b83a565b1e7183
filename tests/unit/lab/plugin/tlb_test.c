// SPDX-License-Identifier: GPL-2.0
/* tlb: which pages it holds, by sequences whose outcome is known. */
#include "tlb.h"

#include "check.h"

#define PAGE	4096ul
#define HUGE	(UINT64_C(1) << 21)
#define GIANT	(UINT64_C(1) << 30)
#define TOP	(UINT64_C(1) << 39)
#define KERNEL	(UINT64_C(0xffff8880) << 32)

static const struct tlb_config config = {
	.l1 = { { 4, 2 }, { 2, 2 }, { 2, 2 } },
	.l2 = { 12, 3 },
	.l2_ns = 2,
	.upper = { 4, 2, 1 },
};

static struct tlb t;

/* Look up @vaddr, and walk for it if it has to be. */
static enum tlb_result use(uint64_t vaddr, enum tlb_size size)
{
	enum tlb_result result = tlb_lookup(&t, vaddr);

	if (result == TLB_MISS)
		tlb_insert(&t, vaddr, size, vaddr >> 63);
	return result;
}

/* How many of @n pages have this outcome when they are used in turn. */
static int outcomes(int n, uint64_t base, enum tlb_size size, enum tlb_result wanted)
{
	int i, found = 0;

	for (i = 0; i < n; i++)
		found += use(base + ((uint64_t)i << TLB_SHIFT(size)), size) == wanted;
	return found;
}

/* In turn, either all pages come again in time or none. */
static void reach(void)
{
	tlb_flush_everything(&t);
	CHECK(outcomes(4, 0, TLB_4K, TLB_MISS) == 4);
	CHECK(outcomes(4, 0, TLB_4K, TLB_HIT) == 4);
	CHECK(outcomes(12, 0, TLB_4K, TLB_MISS) == 8);
	CHECK(outcomes(12, 0, TLB_4K, TLB_L2_HIT) == 12);
	CHECK(!t.replaced);
	tlb_flush_everything(&t);
	CHECK(outcomes(16, 0, TLB_4K, TLB_MISS) == 16);
	CHECK(t.replaced == 4);
	CHECK(outcomes(16, 0, TLB_4K, TLB_MISS) == 16);
	CHECK(t.replaced == 20);
}

/* A page is found by each of its addresses, and a huge page is not the small one there. */
static void sizes(void)
{
	tlb_flush_everything(&t);
	CHECK(use(0, TLB_2M) == TLB_MISS);
	CHECK(use(HUGE - 1, TLB_2M) == TLB_HIT);
	CHECK(use(HUGE, TLB_2M) == TLB_MISS);
	CHECK(use(2 * HUGE, TLB_2M) == TLB_MISS);
	CHECK(use(PAGE, TLB_2M) == TLB_L2_HIT);
	/* Page 0x2000 of 4 KiB has the number of huge page 0x2000. */
	CHECK(use(0x2000 * HUGE, TLB_2M) == TLB_MISS);
	CHECK(use(0x2000 * PAGE, TLB_4K) == TLB_MISS);
	CHECK(use(5 * GIANT, TLB_1G) == TLB_MISS);
	CHECK(use(6 * GIANT - 1, TLB_1G) == TLB_HIT);
	t.replaced = 0;
	CHECK(outcomes(2, 8 * GIANT, TLB_1G, TLB_MISS) == 2);
	CHECK(t.replaced == 1);
	CHECK(use(5 * GIANT, TLB_1G) == TLB_MISS);
}

static void flushes(void)
{
	tlb_flush_everything(&t);
	t.root = PAGE;
	CHECK(outcomes(2, 0, TLB_4K, TLB_MISS) == 2);
	CHECK(outcomes(2, KERNEL, TLB_4K, TLB_MISS) == 2);
	CHECK(use(KERNEL + GIANT, TLB_1G) == TLB_MISS);
	tlb_flush_space(&t);
	CHECK(!t.root);
	CHECK(outcomes(2, KERNEL, TLB_4K, TLB_HIT) == 2);
	CHECK(use(KERNEL + GIANT, TLB_1G) == TLB_HIT);
	CHECK(outcomes(2, 0, TLB_4K, TLB_MISS) == 2);

	tlb_flush_address(&t, KERNEL + 8);
	CHECK(use(KERNEL, TLB_4K) == TLB_MISS);
	CHECK(use(KERNEL + PAGE, TLB_4K) == TLB_HIT);
	tlb_flush_address(&t, KERNEL + GIANT);
	CHECK(use(KERNEL + GIANT, TLB_1G) == TLB_MISS);

	/* A copy in the first level is as global as what it is a copy of. */
	tlb_flush_everything(&t);
	CHECK(outcomes(12, KERNEL, TLB_4K, TLB_MISS) == 12);
	CHECK(use(KERNEL, TLB_4K) == TLB_L2_HIT);
	tlb_flush_space(&t);
	CHECK(use(KERNEL, TLB_4K) == TLB_HIT);
	tlb_flush_everything(&t);
	CHECK(use(KERNEL, TLB_4K) == TLB_MISS);
}

/* Walks begin below the lowest entry that is known. */
static void walks(void)
{
	int level;

	tlb_flush_everything(&t);
	CHECK(tlb_walk_from(&t, 0) == 3);
	for (level = 4; level; level--)
		tlb_walked(&t, 0, level);
	CHECK(tlb_walk_from(&t, HUGE - 1) == 0);
	CHECK(tlb_walk_from(&t, HUGE) == 1);
	CHECK(tlb_walk_from(&t, GIANT) == 2);
	CHECK(tlb_walk_from(&t, TOP) == 3);
	/* Four others take its place in the lowest cache. */
	for (level = 1; level <= 4; level++)
		tlb_walked(&t, level * HUGE, 1);
	CHECK(tlb_walk_from(&t, 0) == 1);
	tlb_flush_address(&t, TOP);
	CHECK(tlb_walk_from(&t, 0) == 3);
	tlb_walked(&t, 0, 1);
	tlb_flush_space(&t);
	CHECK(tlb_walk_from(&t, 0) == 3);
}

static void geometry(void)
{
	CHECK(tlb_geometry_ok((struct tlb_geometry){ 1536, 12 }));
	CHECK(tlb_geometry_ok((struct tlb_geometry){ 64, 64 }));
	CHECK(!tlb_geometry_ok((struct tlb_geometry){ 1536, 8 + 1 }));
	CHECK(!tlb_geometry_ok((struct tlb_geometry){ 1536, 16 }));
	CHECK(!tlb_geometry_ok((struct tlb_geometry){ 64, 0 }));
}

int main(void)
{
	if (!CHECK(tlb_init(&t, &config)))
		return check_report();
	reach();
	sizes();
	flushes();
	walks();
	geometry();
	tlb_free(&t);
	return check_report();
}
