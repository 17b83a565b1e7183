// SPDX-License-Identifier: GPL-2.0
/*
 * Who served a sampled access: each code of AMD's IBS and of Intel's PEBS, as Linux
 * translates it, against what the processor's document says of the code.
 */

#include "check.h"
#include "random.h"
#include "sources/perf/served.h"

#define M(a, b)		PERF_MEM_S(a, b)
#define HIT(level)	(M(LVL, level) | M(LVL, HIT))
#define REM		M(REMOTE, REMOTE)
#define LOAD		M(OP, LOAD)
#define STORE		M(OP, STORE)

#define UNKNOWN		PERF_SERVED_UNKNOWN
#define NOTHING		PERF_SERVED_NOTHING
#define CACHE		PERF_SERVED_CACHE
#define DEVICE		PERF_SERVED_DEVICE
#define DRAM		PERF_SERVED_DRAM
#define FAR_DRAM	PERF_SERVED_REMOTE
#define EXTENDED	PERF_SERVED_EXTENDED

static enum perf_served served(u64 val)
{
	return perf_served((union perf_mem_data_src){ .val = val });
}

/* A code of a processor: what it says itself, and what Linux makes of it. */
struct code {
	unsigned int code;
	u64 val;
	enum perf_served served;
};

#define CHECK_ALL(table, common) do {						\
	unsigned int i;								\
										\
	for (i = 0; i < sizeof(table) / sizeof(*(table)); i++) {		\
		if (!CHECK(served((table)[i].val | (common)) == (table)[i].served)) \
			fprintf(stderr, #table " code 0x%x\n", (table)[i].code); \
	}									\
} while (0)

/*
 * IbsOpData2[DataSrc], and RmtNode as 0x100. Zen 3: PPR for family 19h model 01h (55898);
 * the codes that are not here are reserved, but for 0, "no valid status".
 */
static const struct code ibs_zen3[] = {
	{ 0, M(LVL, NA) | M(LVLNUM, NA), UNKNOWN },
	/* Another cache of the node. */
	{ 2, HIT(L3) | HIT(REM_CCE1) | M(LVLNUM, ANY_CACHE) | M(HOPS, 0), CACHE },
	{ 3, HIT(LOC_RAM) | M(LVLNUM, RAM), DRAM },
	{ 0x103, HIT(REM_RAM1) | M(LVLNUM, RAM) | REM | M(HOPS, 1), FAR_DRAM },
	/* A cache of another node. */
	{ 4, HIT(REM_CCE2) | M(LVLNUM, ANY_CACHE) | REM | M(HOPS, 1), CACHE },
	/* Memory-mapped devices, configuration space, APIC. */
	{ 7, HIT(IO) | M(LVLNUM, IO), DEVICE },
};

/* Zen 4 and later, with two bits more: PPR for family 19h model 11h (55901). */
static const struct code ibs_zen4[] = {
	{ 0, M(LVL, NA) | M(LVLNUM, NA), UNKNOWN },
	/* The L3 of this complex, or another core's cache in it. */
	{ 1, HIT(L3) | M(LVLNUM, L3), CACHE },
	/* A cache of a near complex, and of a far one. */
	{ 2, HIT(REM_CCE1) | M(LVLNUM, ANY_CACHE) | REM | M(HOPS, 0), CACHE },
	{ 5, HIT(REM_CCE2) | M(LVLNUM, ANY_CACHE) | REM | M(HOPS, 1), CACHE },
	{ 3, HIT(LOC_RAM) | M(LVLNUM, RAM), DRAM },
	{ 0x103, HIT(REM_RAM1) | M(LVLNUM, RAM) | REM | M(HOPS, 1), FAR_DRAM },
	/* DIMMs of long latency. */
	{ 6, M(LVLNUM, PMEM), EXTENDED },
	{ 0x106, M(LVLNUM, PMEM) | REM | M(HOPS, 1), EXTENDED },
	{ 7, HIT(IO) | M(LVLNUM, IO), DEVICE },
	/* Extension memory: CXL. */
	{ 8, M(LVLNUM, CXL), EXTENDED },
	{ 0x108, M(LVLNUM, CXL) | REM | M(HOPS, 1), EXTENDED },
	/* Memory of a peer agent, a processor of another kind: Linux has no word for it. */
	{ 12, M(LVL, NA) | M(LVLNUM, NA), UNKNOWN },
};

/* What IBS says in other bits, and of stores, for which it has no DataSrc. */
static void test_ibs(void)
{
	static const u64 others = M(LOCK, NA) | M(TLB, NA);

	CHECK_ALL(ibs_zen3, LOAD | others | M(SNOOP, NA));
	CHECK_ALL(ibs_zen4, LOAD | others | M(SNOOP, NA));

	CHECK(served(LOAD | others | HIT(L1) | M(LVLNUM, L1)) == CACHE);
	CHECK(served(STORE | others | HIT(L1) | M(LVLNUM, L1)) == CACHE);
	CHECK(served(STORE | others | HIT(L2) | M(LVLNUM, L2)) == CACHE);
	/* DcUcMemAcc. */
	CHECK(served(LOAD | others | HIT(UNC) | M(LVLNUM, UNC)) == DEVICE);
	/* A store that missed L2, and one that met a miss that was on its way. */
	CHECK(served(STORE | others | M(LVL, NA) | M(LVLNUM, NA)) == UNKNOWN);
	CHECK(served(STORE | others | HIT(LFB) | M(LVLNUM, LFB)) == CACHE);
	/* CacheHitSt: modified. */
	CHECK(served(LOAD | others | HIT(L3) | M(LVLNUM, L3) | M(SNOOP, HITM)) == CACHE);
}

/* Data source of the load latency facility: SDM volume 3, "Load Latency Performance Monitoring". */
static const struct code pebs_base[] = {
	/* Unknown L3 miss. */
	{ 0x0, M(LVL, MISS) | M(LVLNUM, L3) | M(SNOOP, NA), UNKNOWN },
	/* L1; a miss on the same line is on its way; L2. */
	{ 0x1, HIT(L1) | M(LVLNUM, L1) | M(SNOOP, NONE), CACHE },
	{ 0x2, HIT(LFB) | M(LVLNUM, LFB) | M(SNOOP, NONE), CACHE },
	{ 0x3, HIT(L2) | M(LVLNUM, L2) | M(SNOOP, NONE), CACHE },
	/* L3: no snoop, clean, shared, modified in another core. */
	{ 0x4, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, NONE), CACHE },
	{ 0x5, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, MISS), CACHE },
	{ 0x6, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, HIT), CACHE },
	{ 0x7, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, HITM), CACHE },
	/* Forwarded by another package: clean, modified. */
	{ 0x8, HIT(REM_CCE1) | REM | M(LVLNUM, L3) | M(SNOOP, HIT), CACHE },
	{ 0x9, HIT(REM_CCE1) | REM | M(LVLNUM, L3) | M(SNOOP, HITM), CACHE },
	/* Local and remote DRAM, shared and exclusive. Of 0xb Linux says L3, too. */
	{ 0xa, HIT(LOC_RAM) | M(LVLNUM, RAM) | M(SNOOP, HIT), DRAM },
	{ 0xb, HIT(REM_RAM1) | REM | M(LVLNUM, L3) | M(SNOOP, HIT), FAR_DRAM },
	{ 0xc, HIT(LOC_RAM) | M(LVLNUM, RAM) | M(SNOOP, NONE) | M(SNOOP, MISS), DRAM },
	{ 0xd, HIT(REM_RAM1) | REM | M(LVLNUM, RAM) | M(SNOOP, NONE) | M(SNOOP, MISS), FAR_DRAM },
	/* I/O; memory that is not cacheable. */
	{ 0xe, HIT(IO) | M(LVLNUM, NA) | M(SNOOP, NONE), DEVICE },
	{ 0xf, HIT(UNC) | M(LVLNUM, NA) | M(SNOOP, NONE), DEVICE },
};

/* From Skylake on, servers with persistent memory: what differs. */
static const struct code pebs_skylake[] = {
	{ 0x8, M(LVL, HIT) | M(LVLNUM, PMEM) | M(SNOOP, HIT), EXTENDED },
	{ 0x9, M(LVL, HIT) | M(LVLNUM, PMEM) | REM | M(SNOOP, HIT), EXTENDED },
	{ 0xb, M(LVL, HIT) | M(LVLNUM, RAM) | REM | M(SNOOP, NONE), FAR_DRAM },
	/* A remote cache: passed on, modified. */
	{ 0xc, M(LVL, HIT) | M(LVLNUM, ANY_CACHE) | REM | M(SNOOPX, FWD), CACHE },
	{ 0xd, M(LVL, HIT) | M(LVLNUM, ANY_CACHE) | REM | M(SNOOP, HITM), CACHE },
};

/* The same, where L4 is a cache in the package. */
static const struct code pebs_skylake_l4[] = {
	{ 0x8, M(LVL, HIT) | M(LVLNUM, L4) | M(SNOOP, HIT), CACHE },
	{ 0x9, M(LVL, HIT) | M(LVLNUM, L4) | REM | M(SNOOP, HIT), CACHE },
};

/* Efficient cores, up to Crestmont: what differs. */
static const struct code pebs_crestmont[] = {
	{ 0x7, HIT(L3) | M(LVLNUM, L3) | M(SNOOPX, FWD), CACHE },
	{ 0x8, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, HITM), CACHE },
	{ 0xa, HIT(LOC_RAM) | M(LVLNUM, RAM) | M(SNOOP, NONE), DRAM },
	{ 0xb, M(LVL, HIT) | M(LVLNUM, RAM) | REM | M(SNOOP, NONE), FAR_DRAM },
	/* Remote, and passed on by or modified in another cache. */
	{ 0xc, M(LVL, HIT) | M(LVLNUM, RAM) | REM | M(SNOOPX, FWD), CACHE },
	{ 0xd, M(LVL, HIT) | M(LVLNUM, RAM) | REM | M(SNOOP, HITM), CACHE },
};

/* Lion Cove has codes of its own. */
static const struct code pebs_lion_cove[] = {
	{ 0x00, M(LVL, MISS) | M(LVLNUM, L3) | M(SNOOP, NA), UNKNOWN },
	{ 0x01, HIT(L1) | M(LVLNUM, L1) | M(SNOOP, NONE), CACHE },
	{ 0x02, HIT(L1) | M(LVLNUM, L1) | M(SNOOP, NONE), CACHE },
	{ 0x03, HIT(LFB) | M(LVLNUM, LFB) | M(SNOOP, NONE), CACHE },
	{ 0x04, M(LVLNUM, NA) | M(SNOOP, NA), UNKNOWN },	/* reserved */
	{ 0x05, HIT(L2) | M(LVLNUM, L2) | M(SNOOP, NONE), CACHE },
	{ 0x06, M(LVL, HIT) | M(LVLNUM, L2_MHB) | M(SNOOP, NONE), CACHE },
	{ 0x08, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, NONE), CACHE },
	{ 0x0c, HIT(L3) | M(LVLNUM, L3) | M(SNOOPX, FWD), CACHE },
	{ 0x0d, HIT(L3) | M(LVLNUM, L3) | M(SNOOP, HITM), CACHE },
	/* L3 did not have it, another core did. */
	{ 0x0f, M(LVL, MISS) | M(LVL, L3) | M(LVLNUM, L3) | M(SNOOP, HITM), CACHE },
	{ 0x10, M(LVL, HIT) | M(LVLNUM, MSC) | M(SNOOP, NONE), CACHE },
	{ 0x11, HIT(LOC_RAM) | M(LVLNUM, RAM) | M(SNOOP, NONE), DRAM },
};

static void test_pebs(void)
{
	static const u64 others = M(TLB, MISS) | M(TLB, L2) | M(LOCK, LOCKED) | M(BLK, NA);

	CHECK_ALL(pebs_base, LOAD | others);
	CHECK_ALL(pebs_skylake, LOAD | others);
	CHECK_ALL(pebs_skylake_l4, LOAD | others);
	CHECK_ALL(pebs_crestmont, LOAD | others);
	CHECK_ALL(pebs_lion_cove, LOAD | others);
	/* Store latency, from Sapphire Rapids on, has the same codes. */
	CHECK_ALL(pebs_base, STORE | others);
	CHECK_ALL(pebs_skylake, STORE | others);
}

/* Events with addresses, but without a data source: Haswell and later. */
static void test_pebs_without_source(void)
{
	static const u64 none = M(SNOOP, NA) | M(LOCK, NA) | M(TLB, NA) | M(LVLNUM, NA);

	/* MEM_LOAD_RETIRED.L3_MISS: the event says it. */
	CHECK(served(LOAD | M(LVL, NA) | none) == UNKNOWN);
	CHECK(served(M(OP, NA) | M(LVL, NA) | none) == UNKNOWN);
	/* MEM_INST_RETIRED.ALL_STORES: all that is known is whether L1 served it. */
	CHECK(served(STORE | HIT(L1) | none) == CACHE);
	CHECK(served(STORE | M(LVL, L1) | M(LVL, MISS) | none) == UNKNOWN);
}

static void test_what_counts(void)
{
	CHECK(perf_served_counts(UNKNOWN) && perf_served_counts(DRAM));
	CHECK(perf_served_counts(FAR_DRAM) && perf_served_counts(EXTENDED));
	CHECK(!perf_served_counts(NOTHING) && !perf_served_counts(CACHE));
	CHECK(!perf_served_counts(DEVICE));
}

/* Whatever the bits: a verdict, and none but "nothing" for what is no load or store. */
static void test_any_bits(void)
{
	struct random r = { 1 };
	unsigned int i;

	for (i = 0; i < 1000000; i++) {
		u64 val = random_u64(&r) & random_u64(&r);
		enum perf_served verdict = served(val);

		CHECK(verdict <= EXTENDED);
		CHECK((verdict == NOTHING) == !(val & (M(OP, NA) | LOAD | STORE)));
	}
}

int main(void)
{
	test_ibs();
	test_pebs();
	test_pebs_without_source();
	test_what_counts();
	test_any_bits();
	return check_report();
}
