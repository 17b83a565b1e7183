// SPDX-License-Identifier: GPL-2.0
/* translate: walks of tables that the test has made, by what each of their reads costs. */
#include "translate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

#define MB		(UINT64_C(1) << 20)
#define FAR		(4 * MB)		/* RAM offset of node 1 */
#define BELOW		(2 * MB)		/* of node 0's RAM the second half is above 4 GiB */
#define PAGE		4096ul
#define HUGE		(UINT64_C(1) << 21)
#define GIANT		(UINT64_C(1) << 30)

#define L2_PS		4000
#define NEAR_PS		80000
#define FAR_PS		250000
#define TLB_PS		2000

#define PRESENT		1
#define LEAF		0x80
#define GLOBAL		0x100

/* Where the tables are, as RAM offsets. */
enum {
	TOP = 0x50000,
	ROOT = 0x10000,
	TABLE3 = 0x20000,	/* its entries are of 1 GiB */
	TABLE2 = 3 << 20,	/* above 4 GiB; of 2 MiB */
	TABLE1 = (4 << 20) + 0x40000,	/* on the far node; of 4 KiB */
};

static struct memory m;
static uint8_t *ram;

static void set_entry(uint64_t table, int index, uint64_t off, uint64_t flags)
{
	uint64_t entry = nodemap_address(&m.map, off) | flags;

	memcpy(ram + table + index * sizeof(entry), &entry, sizeof(entry));
}

static void machine(void)
{
	static struct config cfg = {
		.below4g = BELOW,
		.node_bytes = { 4 * MB, 4 * MB },
		.node_mbps = { 100000, 100000 },
		.nr_nodes = 2,
		.nr_cpus = 1,
		.latency_ns = { { NEAR_PS / 1000, FAR_PS / 1000 } },
		.l1 = { 1024, 2, 0 },
		.l2 = { 4096, 4, L2_PS / 1000 },
		.llc = { 16384, 16, 15 },
		.streams = 10,
		.tlb = {
			.l1 = { { 4, 2 }, { 2, 2 }, { 2, 2 } },
			.l2 = { 12, 3 },
			.l2_ns = TLB_PS / 1000,
			.upper = { 4, 2, 1 },
		},
	};

	CHECK(memory_init(&m, &cfg));
	ram = calloc(1, 8 * MB);
	m.host[0] = ram;
	m.host[1] = ram + FAR;
	set_entry(TOP, 0, ROOT, PRESENT);
	set_entry(ROOT, 0, TABLE3, PRESENT);
	set_entry(TABLE3, 0, TABLE2, PRESENT);
	set_entry(TABLE3, 1, 0, PRESENT | LEAF);
	set_entry(TABLE2, 0, TABLE1, PRESENT);
	set_entry(TABLE2, 1, 0, PRESENT | LEAF);
	set_entry(TABLE2, 2, TABLE1, 0);
	/* In an entry of a page of 4 KiB this bit means something else. */
	set_entry(TABLE1, 0, 0, PRESENT | LEAF);
	set_entry(TABLE1, 1, 0, PRESENT | GLOBAL);
	set_entry(TABLE1, 2, 0, PRESENT);
	set_entry(TABLE1, 8, 0, PRESENT);
}

/* Nothing is known or in caches. */
static void begin(int root, unsigned int levels)
{
	tlb_flush_everything(&m.vcpu[0].tlb);
	m.vcpu[0].tlb.root = nodemap_address(&m.map, root);
	m.vcpu[0].tlb.levels = levels;
	cache_flush(&m.vcpu[0].l2);
	cache_flush(&m.llc[0]);
}

static int64_t translate(uint64_t vaddr)
{
	static int64_t now;

	now += 10000000;
	return translate_address(&m, 0, vaddr, now);
}

static void small_pages(void)
{
	begin(ROOT, 4);
	/* Three tables near, the last one far. */
	CHECK(translate(8) == 3 * NEAR_PS + FAR_PS);
	CHECK(translate(PAGE - 1) == 0);
	/* The next entry is in the same line, and upper tables need not be read. */
	CHECK(translate(PAGE) == L2_PS);
	/* Another line of the same table. */
	CHECK(translate(8 * PAGE) == FAR_PS);
	tlb_flush_space(&m.vcpu[0].tlb);
	m.vcpu[0].tlb.root = nodemap_address(&m.map, ROOT);
	CHECK(translate(PAGE) == 0);
	CHECK(translate(0) == 4 * L2_PS);
}

static void large_pages(void)
{
	begin(ROOT, 4);
	CHECK(translate(HUGE + 5 * PAGE) == 3 * NEAR_PS);
	CHECK(translate(2 * HUGE - 1) == 0);
	CHECK(translate(GIANT + HUGE) == L2_PS);
	CHECK(translate(2 * GIANT - 1) == 0);
}

static void counts(void)
{
	struct memory_counts *c = &m.vcpu[0].counts;

	begin(ROOT, 4);
	memory_begin_counts(&m, 1000, 0);
	translate(0);
	translate(2 * PAGE);
	translate(8 * PAGE);
	CHECK(c->walks == 3);
	CHECK(c->node[0].walk == 3);
	CHECK(c->node[1].walk == 2);
	CHECK(c->translate_ps == 3 * NEAR_PS + 2 * FAR_PS + L2_PS);
	CHECK(c->stall_ps == c->translate_ps);
	CHECK(!c->node[0].miss[0][0] && !c->node[1].miss[0][0]);
	CHECK(!c->tlb_l2_hits);
	/* These three share a set of the first level, which has two ways. */
	CHECK(translate(0) == TLB_PS);
	CHECK(c->tlb_l2_hits == 1);
	memory_end_counts(&m);
}

/* What is not mapped costs what was read, each time. */
static void not_mapped(void)
{
	begin(ROOT, 4);
	CHECK(translate(2 * HUGE) == 3 * NEAR_PS);
	CHECK(translate(2 * HUGE) == L2_PS);
	/* A table where no RAM is. */
	set_entry(TABLE2, 3, 64 * MB, PRESENT);
	CHECK(translate(3 * HUGE) == L2_PS);
}

/* A fifth level on top costs nothing. */
static void five_levels(void)
{
	begin(TOP, 5);
	CHECK(translate(0) == 3 * NEAR_PS + FAR_PS);
	CHECK(translate(0) == 0);
}

int main(void)
{
	machine();
	small_pages();
	large_pages();
	counts();
	not_mapped();
	five_levels();
	tlb_free(&m.vcpu[0].tlb);
	cache_free(&m.vcpu[0].l1);
	cache_free(&m.vcpu[0].l2);
	cache_free(&m.llc[0]);
	munmap(m.page, m.nr_pages * sizeof(*m.page));
	munmap(m.frames.used_in, m.nr_pages * sizeof(*m.frames.used_in));
	heat_free(&m.heat);
	free(ram);
	return check_report();
}
