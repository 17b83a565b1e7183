// SPDX-License-Identifier: GPL-2.0
/*
 * What a batch holds of each memory cgroup: folios of many cgroups, in turns and by chance.
 */
#include <stdbool.h>
#include <stdint.h>

#include "check.h"
#include "promote/shares.h"
#include "random.h"

#define FOLIOS	4096u

/* Cgroups are only told apart, so any addresses will do. */
static struct mem_cgroup *memcg(unsigned int i)
{
	return i ? (struct mem_cgroup *)(uintptr_t)(i * 64) : NULL;
}

/* Returns false if there is no place for the cgroup. */
static bool add(struct shares *shares, unsigned int group)
{
	struct share *share = shares_find(shares, memcg(group));

	if (!share)
		share = shares_begin(shares, memcg(group));
	if (share)
		share->nr_pages++;
	return share;
}

static unsigned int sum(struct shares *shares)
{
	struct share *share;
	unsigned int nr = 0;

	for_each_share(share, shares)
		nr += share->nr_pages;
	return nr;
}

/* Cgroups in turns, as in memory that many processes have filled at the same time. */
static void in_turns(void)
{
	static struct shares shares;
	unsigned int i;

	shares.nr = 0;
	for (i = 0; i < 4 * SHARES_MAX; i++)
		CHECK(add(&shares, i % SHARES_MAX));
	CHECK(shares.nr == SHARES_MAX);
	for (i = 0; i < SHARES_MAX; i++)
		CHECK(shares_find(&shares, memcg(i))->nr_pages == 4);
	/* One more cgroup has no place. Those that are there still have. */
	CHECK(!add(&shares, SHARES_MAX));
	CHECK(!shares_find(&shares, memcg(SHARES_MAX)));
	CHECK(add(&shares, SHARES_MAX - 1));
	CHECK(sum(&shares) == 4 * SHARES_MAX + 1);
}

/* A share is as new, whatever a batch before has left in its place. */
static void begins_anew(void)
{
	static struct shares shares;
	struct share *share;

	shares.share[0] = (struct share){ .promoted = 1, .cpus = 2, .taken = 3, .cost = 4 };
	shares.nr = 0;
	share = shares_begin(&shares, memcg(7));
	CHECK(share == shares.share && share->memcg == memcg(7) && list_empty(&share->folios));
	CHECK(!share->nr_pages && !share->promoted && !share->cpus);
	CHECK(!share->taken && !share->cost);
}

static void by_chance(void)
{
	static struct shares shares;
	struct random r = { .state = 1 };
	unsigned int round, groups, nr;

	for (round = 0; round < 200; round++) {
		groups = 1 + random_below(&r, 2 * SHARES_MAX);
		shares.nr = 0;
		for (nr = 0; nr < FOLIOS; nr++)
			if (!add(&shares, random_below(&r, groups)))
				break;
		CHECK(nr >= (groups <= SHARES_MAX ? FOLIOS : SHARES_MAX));
		CHECK(sum(&shares) == nr);
	}
}

int main(void)
{
	in_turns();
	begins_anew();
	by_chance();
	return check_report();
}
