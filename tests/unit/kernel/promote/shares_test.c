// SPDX-License-Identifier: GPL-2.0
/*
 * What a batch holds of each memory cgroup: folios of many cgroups, in turns and by chance, some of
 * which fail or change their cgroup on the way.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "promote/shares.h"
#include "random.h"

/* Cgroups are only told apart, so any addresses will do. */
static struct mem_cgroup *memcg(unsigned int i)
{
	return i ? (struct mem_cgroup *)(uintptr_t)(i * 64) : NULL;
}

static unsigned int sum(const struct shares *s)
{
	unsigned int i, nr = 0;

	for (i = 0; i < s->nr; i++) {
		CHECK(s->share[i].nr_failed <= s->share[i].nr_pages);
		nr += s->share[i].nr_pages - s->share[i].nr_failed;
	}
	return nr;
}

/* Cgroups in turns, as in memory that many processes have filled at the same time. */
static void test_in_turns(void)
{
	static struct shares s;
	unsigned int i;

	s.nr = 0;
	for (i = 0; i < 4 * SHARES_MAX; i++) {
		CHECK(shares_have_place(&s, memcg(i % SHARES_MAX)));
		CHECK(shares_add(&s, memcg(i % SHARES_MAX), 1 + i % 3, 10) == (i < SHARES_MAX));
	}
	CHECK(s.nr == SHARES_MAX);
	CHECK(shares_find(&s, memcg(0))->taken == 40);
	/* One more cgroup has no place. Those that are there still have. */
	CHECK(!shares_have_place(&s, memcg(SHARES_MAX)));
	CHECK(!shares_find(&s, memcg(SHARES_MAX)));
	CHECK(shares_have_place(&s, memcg(SHARES_MAX - 1)));
}

/* What fails is the cgroup's own as long as it has pages, and then others'. */
static void test_fail(void)
{
	static struct shares s;

	s.nr = 0;
	shares_add(&s, memcg(1), 512, 0);
	shares_add(&s, memcg(2), 4, 0);
	shares_fail(&s, memcg(2), 3);
	CHECK(s.share[0].nr_failed == 0 && s.share[1].nr_failed == 3);
	shares_fail(&s, memcg(2), 3);
	CHECK(s.share[0].nr_failed == 2 && s.share[1].nr_failed == 4);
	shares_fail(&s, memcg(7), 510);
	CHECK(sum(&s) == 0);
}

static void test_by_chance(void)
{
	static struct shares s;
	static unsigned int of[4096];
	unsigned int round, i, nr, left, changed;
	struct random r = { .state = 1 };

	for (round = 0; round < 200; round++) {
		unsigned int groups = 1 + random_below(&r, 2 * SHARES_MAX);

		s.nr = 0;
		for (nr = 0; nr < 4096; nr++) {
			of[nr] = random_below(&r, groups);
			if (!shares_have_place(&s, memcg(of[nr])))
				break;
			shares_add(&s, memcg(of[nr]), 1, 0);
		}
		CHECK(nr >= (groups < SHARES_MAX ? 4096 : SHARES_MAX));
		left = nr;
		for (i = 0; i < nr; i++) {
			if (!random_once_in(&r, 3))
				continue;
			changed = random_once_in(&r, 10) ? random_below(&r, groups) : of[i];
			shares_fail(&s, memcg(changed), 1);
			left--;
			CHECK(sum(&s) == left);
		}
	}
}

int main(void)
{
	test_in_turns();
	test_fail();
	test_by_chance();
	return check_report();
}
