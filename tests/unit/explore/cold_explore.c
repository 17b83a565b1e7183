// SPDX-License-Identifier: GPL-2.0
/*
 * The rings of idle pages (kernel/core/cold.c): a source puts pages in, workers take them out, and
 * others ask how many there are, without the lock.
 */
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "access.h"
#include "explore.h"

#define HPAGE_PMD_NR		512
#define pfn_to_nid(pfn)		((void)(pfn), 0)
#define kvcalloc(nr, size, gfp)	kvzalloc((nr) * (size), gfp)

#include "core/cold.c"

/* Pages 1 and 2 are there from the beginning, 3 is offered meanwhile. */
#define PAGES	3u

/* How often each was taken. */
static unsigned int taken[PAGES + 1];

static void offer(unsigned long pfn)
{
	pghot_cold_offer(pfn, 1, true);
}

static void begin(void)
{
	unsigned int i;

	for (i = 1; i <= PAGES; i++)
		taken[i] = 0;
	offer(1);
	offer(2);
}

static bool take(void)
{
	unsigned long pfn;

	if (!pghot_cold_take(0, false, &pfn))
		return false;
	EXPECT(pfn >= 1 && pfn <= PAGES && !taken[pfn]++);
	return true;
}

static void source(void)
{
	offer(3);
}

static void worker(void)
{
	while (take())
		;
}

static void who_asks(void)
{
	EXPECT(pghot_cold_pages(0, false) <= PAGES);
}

static void end(void)
{
	while (take())
		;
	EXPECT(taken[1] == 1 && taken[2] == 1 && taken[3] == 1);
	EXPECT(pghot_cold_pages(0, false) == 0);
}

static const struct scenario scenarios[] = {
	{
		.name = "a source and a worker",
		.begin = begin,
		.threads = { { "source", source }, { "worker", worker }, { "asks", who_asks } },
		.end = end,
	}, {
		.name = "a source and two workers",
		.begin = begin,
		.threads = { { "source", source }, { "worker", worker }, { "other", worker },
			     { "asks", who_asks } },
		.end = end,
	},
};

int main(int argc, char **argv)
{
	bool deep = explore_deep(argc, argv);

	if (pghot_cold_init())
		return 1;
	access_share("ring", &rings[0][false], sizeof(rings[0][false]));
	explore_all(scenarios, ARRAY_SIZE(scenarios), "idle pages", deep);
	access_unshare();
	pghot_cold_exit();
	return explore_report();
}
