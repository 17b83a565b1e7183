// SPDX-License-Identifier: GPL-2.0
/* What tenants of over-committed memory access by Zipf's law, and where their memory begins. */
#include "start.h"
#include "zipf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "check.h"
#include "content.h"
#include "numa.h"

#define PAGES	3000	/* no power of two */
#define MANY	4000000
#define UNIT	(UINT64_C(16) * NUMA_PAGE)
#define UNITS	(PAGES * NUMA_PAGE / UNIT)

/* Instead of the kernel's policy. */
static int bound = -1;
static int binds;

int numa_bind_memory(int node)
{
	bound = node;
	binds++;
	return 0;
}

static bool within(double value, double wanted, double part)
{
	return value > wanted * (1 - part) && value < wanted * (1 + part);
}

/* Each page has one rank, and another seed gives it another. */
static void permutation(void)
{
	static unsigned int met[PAGES];
	unsigned int same = 0, near = 0;
	struct zipf z, other;
	uint64_t i, page;

	zipf_start(&z, PAGES, 1);
	zipf_start(&other, PAGES, 2);
	for (i = 0; i < PAGES; i++) {
		page = zipf_place(&z, i);
		CHECK(page < PAGES);
		met[page]++;
		same += page == zipf_place(&other, i);
		/* Hot pages lie scattered: neighbours in rank are none in memory. */
		near += llabs((long long)page - (long long)zipf_place(&z, (i + 1) % PAGES)) < 30;
	}
	for (i = 0; i < PAGES; i++)
		CHECK(met[i] == 1);
	CHECK(same < 30);
	CHECK(near < PAGES / 20);
}

/* Ranks come as often as the law says: single ones of the head, and parts of the rest. */
static void skew(void)
{
	static uint64_t uses[PAGES];
	double all = 0, part, wanted;
	uint64_t i, x, n, sum, first;
	struct zipf z;

	zipf_start(&z, PAGES, 7);
	for (i = 0; i < PAGES; i++)
		all += zipf_weight(i);
	CHECK(within(zipf_weight(0) / zipf_weight(99), pow(100, 0.99), 0.000001));
	for (n = 0; n < MANY; n++) {
		x = pattern_mix(n + 1);
		i = zipf_rank(&z, x);
		CHECK(i < PAGES);
		uses[i]++;
		if (n < 1000)
			CHECK(zipf_item(&z, x) == zipf_place(&z, i));
	}
	for (i = 0; i < 20; i++)
		CHECK(within(uses[i], MANY * zipf_weight(i) / all, 0.05));
	for (first = 20; first < PAGES; first = i) {
		sum = 0;
		part = 0;
		for (i = first; i < PAGES && i < first * 5 / 4; i++) {
			sum += uses[i];
			part += zipf_weight(i);
		}
		wanted = MANY * part / all;
		CHECK(within(sum, wanted, 0.05));
	}
	for (i = 0; i < PAGES; i++)
		CHECK(uses[i] > 0);
	/* The ends of what can be drawn. */
	CHECK(zipf_rank(&z, 0) == 0);
	CHECK(zipf_rank(&z, UINT64_MAX) == PAGES - 1);
}

static double heat(const struct zipf *z, uint64_t unit)
{
	double sum = 0;
	uint64_t i;

	for (i = 0; i < PAGES; i++)
		if (zipf_place(z, i) * NUMA_PAGE / UNIT == unit)
			sum += zipf_weight(i);
	return sum;
}

static uint64_t count(const struct start *s)
{
	uint64_t n = 0, i;

	for (i = 0; i < s->units; i++)
		n += s->fast[i];
	return n;
}

static void chosen(void)
{
	double least = INFINITY, most = 0;
	bool fast[UNITS];
	struct start s = { .units = UNITS, .unit_bytes = UNIT, .fast = fast };
	struct zipf z;
	uint64_t i;

	/* The end of the memory, and its begin. */
	start_choose(&s, 10, false, NULL);
	CHECK(count(&s) == 10 && !fast[UNITS - 11] && fast[UNITS - 10] && fast[UNITS - 1]);
	start_choose(&s, 10, true, NULL);
	CHECK(count(&s) == 10 && fast[0] && fast[9] && !fast[10]);

	zipf_start(&z, UNITS * UNIT / NUMA_PAGE, 3);
	start_choose(&s, 10, false, &z);
	CHECK(count(&s) == 10 && fast[UNITS - 10]);
	start_choose(&s, 10, true, &z);
	CHECK(count(&s) == 10);
	for (i = 0; i < UNITS; i++) {
		if (fast[i])
			least = fmin(least, heat(&z, i));
		else
			most = fmax(most, heat(&z, i));
	}
	CHECK(least >= most);
	start_choose(&s, 0, true, &z);
	CHECK(count(&s) == 0);
	start_choose(&s, UNITS, false, NULL);
	CHECK(count(&s) == UNITS);
}

/* All of the memory has its first content, and the process no policy in the end. */
static void filled(void)
{
	bool fast[4] = { true, false, false, true };
	struct start s = {
		.memory = malloc(4 * UNIT),
		.units = 4,
		.unit_bytes = UNIT,
		.fast = fast,
		.node = { 1, 0 },
	};
	uint64_t *word = (uint64_t *)s.memory, i;

	CHECK(start_fill(&s, 5) == 0);
	for (i = 0; i < 4 * UNIT / sizeof(*word); i++)
		CHECK(word[i] == content_first(5, i));
	CHECK(binds == 3 && bound == -1);
	free(s.memory);
}

int main(void)
{
	args_program = "tenants_test";
	permutation();
	skew();
	chosen();
	filled();
	return check_report();
}
