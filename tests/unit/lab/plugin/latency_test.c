// SPDX-License-Identifier: GPL-2.0
/* latency: bins and sums of accesses whose times are known. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define NS	INT64_C(1000)

static struct latency l;

static bool took(int i, bool store, int64_t ps)
{
	static int64_t now = 5 * NS;

	latency_begin(&l, i, now);
	now += ps;
	return latency_end(&l, i, store, now);
}

static void bins(void)
{
	latency_reset(&l);
	CHECK(took(0, false, 0));
	CHECK(took(0, false, NS - 1));
	CHECK(took(0, false, NS));
	CHECK(took(0, false, 255 * NS));
	CHECK(took(0, false, 256 * NS));
	CHECK(l.count[0][0] == 2);
	CHECK(l.count[0][1] == 1);
	CHECK(l.count[0][8] == 1);
	CHECK(l.count[0][9] == 1);
	CHECK(l.sum_ps[0] == 2 * NS - 1 + 511 * NS);
	CHECK(took(1, true, NS << 31));
	CHECK(took(1, true, NS << 40));
	CHECK(l.count[1][LATENCY_BINS - 1] == 2);
}

/* Two CPUs are in the middle of an access at the same time; each ends once. */
static void pairs(void)
{
	latency_reset(&l);
	CHECK(!latency_end(&l, 0, false, 9 * NS));
	latency_begin(&l, 0, 10 * NS);
	latency_begin(&l, 1, 11 * NS);
	CHECK(latency_end(&l, 0, false, 12 * NS));
	CHECK(!latency_end(&l, 0, false, 13 * NS));
	CHECK(latency_end(&l, 1, true, 19 * NS));
	CHECK(l.count[0][2] == 1);
	CHECK(l.count[1][4] == 1);
	/* The vCPU slept, and the common time is behind. */
	latency_begin(&l, 1, 20 * NS);
	CHECK(latency_end(&l, 1, true, 17 * NS));
	CHECK(l.count[1][0] == 1);
	CHECK(l.sum_ps[1] == 8 * NS);
}

static void printed(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	latency_reset(&l);
	latency_print(&l, out);
	fflush(out);
	CHECK(!strcmp(text, "null"));
	rewind(out);
	took(0, false, NS);
	took(0, true, 2 * NS);
	latency_print(&l, out);
	fclose(out);
	CHECK(!strncmp(text, "{\"load_ns\":1,\"loads\":[0,1,0,", 28));
	CHECK(strstr(text, "],\"store_ns\":2,\"stores\":[0,0,1,0,"));
	CHECK(!strcmp(text + size - 4, ",0]}"));
	free(text);
}

int main(void)
{
	bins();
	pairs();
	printed();
	return check_report();
}
