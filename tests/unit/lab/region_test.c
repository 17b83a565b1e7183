// SPDX-License-Identifier: GPL-2.0
/* region: the JSON of regions whose accesses are known. */
#include "region.h"

#include <stdlib.h>
#include <string.h>

#include "../check.h"

#define MB	(UINT64_C(1) << 20)
#define STEP	10

static struct memory m;
static struct region r;

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

/* The region's end says so in its JSON. */
static bool ends(int64_t now, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool found;

	CHECK(!region_end(&r, &m, now, out, ""));
	fclose(out);
	found = strstr(text, wanted);
	if (!found)
		fprintf(stderr, "printed %s", text);
	free(text);
	return found;
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
	CHECK(ends(now, "\"series\":{\"interval_ns\":10,\"t0_ns\":1010,"
			"\"nodes\":[[0,2,7,5,1],[3,0,0,0,0]]},"
			"\"hot\":{\"interval_ns\":10,\"t0_ns\":1010,"
			"\"nodes\":[[0,2,0,0,1],[3,0,0,0,0]],\"moves_ns\":[0,30]}}\n"));
}

/* The next region has none, unless it is named again, also for the first time within it. */
static void named_anew(void)
{
	int64_t now = 1000;

	region_begin(&r, &m, STEP, now);
	load(8192, 0, 1, &now);
	CHECK(ends(now, "\"nodes\":[[1],[0]]},\"hot\":null}\n"));
	region_begin(&r, &m, STEP, now);
	load(8192, 0, 1, &now);
	CHECK(!region_name_hot(&r, &m, 8192, 8192, now));
	CHECK(ends(now, "\"nodes\":[[],[]],\"moves_ns\":[10]}}\n"));
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
	refused();
	series_free(&r.series);
	series_free(&r.hot);
	cache_free(&m.vcpu[0].l1);
	cache_free(&m.vcpu[0].l2);
	cache_free(&m.llc[0]);
	return check_report();
}
