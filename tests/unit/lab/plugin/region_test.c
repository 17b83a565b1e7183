// SPDX-License-Identifier: GPL-2.0
/* region: the JSON of regions whose accesses are known. */
#include "region.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define MB	(UINT64_C(1) << 20)
#define STEP	10
#define KERNEL	(UINT64_C(0xffff8880) << 32)

static struct memory m;
static struct region r;
static char *text;

/* No vCPU has a meter. */
struct meter *clock_meter(int i)
{
	(void)i;
	return NULL;
}

static void machine(void)
{
	struct config cfg = {
		.below4g = 2 * MB,
		.node_bytes = { MB, MB },
		.node_mbps = { 1000, 1000 },
		.nr_nodes = 2,
		.nr_cpus = 1,
		.latency_ns = { { 1, 2 } },
		.l1 = { 1024, 2, 0 },
		.l2 = { 4096, 4, 1 },
		.llc = { 16384, 16, 1 },
		.streams = 1,
	};

	CHECK(memory_init(&m, &cfg));
}

/* @n user loads of new lines at the virtual address @vaddr from @node; then time passes. */
static void load(uint64_t vaddr, int node, int n, int64_t *now)
{
	static uint64_t off;

	while (n--) {
		memory_access(&m, 0, L1_MISS, node * MB + off, vaddr, false, false, 0);
		off += CACHE_LINE;
	}
	if (r.open)
		region_sample(&r, &m, 0, *now);
	*now += STEP;
}

/* The region ends, with its JSON in @text. */
static void end(int64_t now)
{
	FILE *out;
	size_t size;

	free(text);
	out = open_memstream(&text, &size);
	CHECK(!region_end(&r, &m, now, out, ""));
	fclose(out);
}

static bool printed(const char *wanted)
{
	return strstr(text, wanted);
}

/* Named before the region, it moves once: accesses before and beside it are not hot. */
static void moves(void)
{
	int64_t now = 1000;

	CHECK(!region_name_hot(&r, &m, 4096, 8191, now));
	load(4096, 0, 9, &now);
	region_begin(&r, &m, STEP, now);
	load(4096, 1, 3, &now);
	load(8191, 0, 2, &now);
	load(8192, 0, 7, &now);
	CHECK(!region_name_hot(&r, &m, 8192, 8192, now));
	load(8191, 0, 5, &now);
	load(8192, 0, 1, &now);
	end(now);
	CHECK(printed("\"series\":{\"interval_ns\":10,\"t0_ns\":1010,"
		      "\"nodes\":[[0,2,7,5,1],[3,0,0,0,0]]},"));
	CHECK(printed("\"hot\":{\"interval_ns\":10,\"t0_ns\":1010,"
		      "\"nodes\":[[0,2,0,0,1],[3,0,0,0,0]],\"moves_ns\":[0,30]}}\n"));
}

/* The next region has none, unless it is named again, also for the first time within it. */
static void named_anew(void)
{
	int64_t now = 1000;

	region_begin(&r, &m, STEP, now);
	load(8192, 0, 1, &now);
	end(now);
	CHECK(printed("\"nodes\":[[1],[0]]},"));
	CHECK(printed(",\"hot\":null}\n"));
	region_begin(&r, &m, STEP, now);
	load(8192, 0, 1, &now);
	CHECK(!region_name_hot(&r, &m, 8192, 8192, now));
	end(now);
	CHECK(printed("\"nodes\":[[],[]],\"moves_ns\":[10]}}\n"));
}

/* What TLBs did is there where the machine has them. */
static void tlbs(void)
{
	int64_t now = 1000;

	region_begin(&r, &m, STEP, now);
	end(now);
	CHECK(!printed("\"tlb\""));
	m.has_tlb = true;
	region_begin(&r, &m, STEP, now);
	m.vcpu[0].counts.tlb_l2_hits = 2;
	m.vcpu[0].counts.walks = 3;
	m.vcpu[0].counts.translate_ps = 4000;
	m.vcpu[0].counts.node[1].walk = 5;
	end(now);
	CHECK(printed("\"tlb\":{\"l2_hits\":2,\"walks\":3,\"stall_ns\":4,"
		      "\"walk_reads\":[0,5]},\"latency\":"));
	m.has_tlb = false;
}

/* A CPU copies the page at @from to @to, RAM offsets. */
static void copy(uint64_t from, uint64_t to, int64_t *now)
{
	uint64_t off;

	for (off = 0; off < 4096; off += CACHE_LINE) {
		memory_access(&m, 0, L1_MISS, from + off, KERNEL + from + off, false, true, 0);
		memory_access(&m, 0, L1_MISS, to + off, KERNEL + to + off, true, true, 0);
	}
	memory_copied(&m, 0, from, to);
	region_sample(&r, &m, 0, *now);
	*now += STEP;
}

/* Copies by both nodes; what is copied was used, but not what it is copied to. */
static void over_time(void)
{
	int64_t now = 1000;

	region_begin(&r, &m, STEP, now);
	copy(MB + 0x40000, 0x40000, &now);
	load(0, 1, 64, &now);
	copy(0x60000, MB + 0x60000, &now);
	copy(MB + 0x70000, 0x70000, &now);
	now += 10 * STEP;
	copy(MB + 0x80000, 0x80000, &now);
	end(now);
	CHECK(printed("\"copies\":[{\"interval_ns\":10,\"t0_ns\":1000,"
		      "\"nodes\":[[0,0,0],[0,0,1]]},"
		      "{\"interval_ns\":10,\"t0_ns\":1000,"
		      "\"nodes\":[[1,0,0,1,0,0,0,0,0,0,0,0,0,0,1],"
		      "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]}],"));
	CHECK(printed("\"used\":{\"interval_ns\":100,\"t0_ns\":1000,"
		      "\"nodes\":[[1,0],[4,1]]},"));
	CHECK(printed("\"heat\":{\"interval_ns\":10,\"piece_bytes\":16384,\"nodes\":[[["));
	CHECK(m.heat.nr_columns == (size_t)(now - 1000) / STEP + 1);
	CHECK(m.heat.uses[(MB + 0x40000) / 16384] == 64);
	/* Columns go on where time is looked at, after these accesses. */
	CHECK(m.heat.uses[2 * m.heat.nr_pieces + (MB + 0x70000) / 16384] == 64);
	CHECK(m.heat.uses[3 * m.heat.nr_pieces + (MB + 0x80000) / 16384] == 64);
}

/* Of all uses none is lost, and each is of its piece. */
static void pieces(void)
{
	char *at;
	int64_t now = 0;

	region_begin(&r, &m, STEP, now);
	memory_access(&m, 0, L1_MISS, MB - CACHE_LINE, 0, false, false, 0);
	region_sample(&r, &m, 0, STEP);
	memory_access(&m, 0, L1_MISS, 2 * MB - CACHE_LINE, 0, false, false, 0);
	end(2 * STEP - 1);
	at = strstr(text, "\"heat\":");
	CHECK(at && strstr(at, "[0,0],[1,0]],[[0,0],") && strstr(at, "[0,0],[0,1]]]},\"hot\""));
}

static void refused(void)
{
	int i;

	CHECK(region_name_hot(&r, &m, 8192, 8191, 0));
	region_begin(&r, &m, STEP, 0);
	for (i = 0; i < REGION_MOVES; i++)
		CHECK(!region_name_hot(&r, &m, 0, i, i));
	CHECK(region_name_hot(&r, &m, 0, 0, 0));
}

int main(void)
{
	machine();
	moves();
	named_anew();
	tlbs();
	over_time();
	pieces();
	refused();
	series_free(&r.series);
	series_free(&r.hot);
	series_free(&r.used);
	series_free(&r.copies[0]);
	series_free(&r.copies[1]);
	heat_free(&m.heat);
	free(text);
	cache_free(&m.vcpu[0].l1);
	cache_free(&m.vcpu[0].l2);
	cache_free(&m.llc[0]);
	return check_report();
}
