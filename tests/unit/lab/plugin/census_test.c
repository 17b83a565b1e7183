// SPDX-License-Identifier: GPL-2.0
/* census: frames that loads meet, and their bins, against sums made by hand. */
#include "census.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define PAGES		1001
#define FAR		500	/* first page of node 1 */
#define BASE		UINT64_C(0x7f0000000000)

static struct memory m;

static void machine(void)
{
	const uint64_t size[] = { FAR * 4096, (PAGES - FAR) * 4096 };

	nodemap_init(&m.map, NODEMAP_4G, size, 2);
	m.nr_pages = PAGES;
	m.page = calloc(PAGES, sizeof(*m.page));
	m.nr_vcpus = 1;
	CHECK(m.page && cache_init(&m.vcpu[0].l1, 1024, 2));
}

/* Load the page @n of the range from the frame @frame, twice. */
static void load(struct census *c, uint64_t n, uint64_t frame)
{
	census_load(c, BASE + n * 4096, frame * 4096);
	census_load(c, BASE + n * 4096 + 64, frame * 4096 + 64);
}

/* What census_end() prints. */
static bool prints(struct census *c, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool same;

	census_end(c, &m, out);
	fclose(out);
	same = !strcmp(text, wanted);
	if (!same)
		fprintf(stderr, "printed %s", text);
	free(text);
	return same;
}

#define ZEROS_29	"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"

static void bins(void)
{
	struct census c = { 0 };

	CHECK(census_begin(&c, &m, BASE, BASE + 6 * 4096 - 1));
	CHECK(c.open);
	load(&c, 0, 0);
	load(&c, 1, FAR - 1);
	load(&c, 2, FAR);
	load(&c, 3, FAR + 1);
	load(&c, 4, PAGES - 1);
	load(&c, 5, 7);
	/* Beside the range. */
	load(&c, 6, 8);
	load(&c, -1, 9);
	memset(m.page, 0xff, PAGES * sizeof(*m.page));
	m.page[0] = 0;
	m.page[7] = 1;
	m.page[FAR - 1] = 3;
	m.page[FAR] = 4;
	m.page[FAR + 1] = 2;
	CHECK(prints(&c, "{\"census\":["
			 "{\"frames\":3,\"served\":[1,1,1,0," ZEROS_29 "]},"
			 "{\"frames\":3,\"served\":[0,0,1,1,"
			 "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}]}\n"));
	CHECK(!c.open);
}

/* Each page counts once, wherever it was when it was loaded, and it is where it was last. */
static void moving(void)
{
	struct census c = { 0 };

	CHECK(census_begin(&c, &m, BASE, BASE + 4 * 4096 - 1));
	memset(m.page, 0, PAGES * sizeof(*m.page));
	load(&c, 0, 1);
	load(&c, 1, FAR + 1);
	load(&c, 1, 1);
	load(&c, 2, FAR + 1);
	CHECK(prints(&c, "{\"census\":["
			 "{\"frames\":2,\"served\":[2,0,0,0," ZEROS_29 "]},"
			 "{\"frames\":1,\"served\":[1,0,0,0," ZEROS_29 "]}]}\n"));
}

/* Another one begins with nothing, and with empty first levels. */
static void again(void)
{
	struct census c = { 0 };

	memory_l1(&m.vcpu[0], BASE, false);
	CHECK(memory_l1(&m.vcpu[0], BASE, false) == L1_HIT);
	CHECK(census_begin(&c, &m, BASE, BASE));
	CHECK(memory_l1(&m.vcpu[0], BASE, false) == L1_MISS);
	CHECK(prints(&c, "{\"census\":["
			 "{\"frames\":0,\"served\":[0,0,0,0," ZEROS_29 "]},"
			 "{\"frames\":0,\"served\":[0,0,0,0," ZEROS_29 "]}]}\n"));
}

int main(void)
{
	machine();
	bins();
	moving();
	again();
	cache_free(&m.vcpu[0].l1);
	free(m.page);
	return check_report();
}
