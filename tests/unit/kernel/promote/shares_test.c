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

#define FOLIOS	4096u

/* The folios of a batch, by their places in its list, and the cgroup that each is charged to. */
static struct list_head folio[FOLIOS];
static unsigned int charged[FOLIOS];

/* Cgroups are only told apart, so any addresses will do. */
static struct mem_cgroup *memcg(unsigned int i)
{
	return i ? (struct mem_cgroup *)(uintptr_t)(i * 64) : NULL;
}

static bool add(struct shares *s, struct list_head *folios, unsigned int i, unsigned int group,
		unsigned int nr_pages, uint64_t taken)
{
	charged[i] = group;
	return shares_add(s, memcg(group), &folio[i], folios, nr_pages, taken);
}

/* Are there @nr folios in the list, and those of each cgroup side by side? */
static bool side_by_side(const struct shares *s, const struct list_head *folios, unsigned int nr)
{
	const struct list_head *entry;
	unsigned int turns = 0, found = 0, last = ~0u;

	for (entry = folios->next; entry != folios; entry = entry->next) {
		unsigned int group = charged[entry - folio];

		turns += group != last;
		last = group;
		found++;
	}
	return found == nr && turns == s->nr;
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
	LIST_HEAD(folios);
	unsigned int i;

	s.nr = 0;
	for (i = 0; i < 4 * SHARES_MAX; i++) {
		CHECK(shares_have_place(&s, memcg(i % SHARES_MAX)));
		CHECK(add(&s, &folios, i, i % SHARES_MAX, 1 + i % 3, 10) == (i < SHARES_MAX));
		CHECK(side_by_side(&s, &folios, i + 1));
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
	LIST_HEAD(folios);

	s.nr = 0;
	add(&s, &folios, 0, 1, 512, 0);
	add(&s, &folios, 1, 2, 4, 0);
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
	unsigned int round, i, nr, left, changed;
	struct random r = { .state = 1 };

	for (round = 0; round < 200; round++) {
		unsigned int groups = 1 + random_below(&r, 2 * SHARES_MAX), group;
		LIST_HEAD(folios);

		s.nr = 0;
		for (nr = 0; nr < FOLIOS; nr++) {
			group = random_below(&r, groups);
			if (!shares_have_place(&s, memcg(group)))
				break;
			add(&s, &folios, nr, group, 1, 0);
		}
		CHECK(nr >= (groups < SHARES_MAX ? FOLIOS : SHARES_MAX));
		CHECK(side_by_side(&s, &folios, nr));
		left = nr;
		for (i = 0; i < nr; i++) {
			if (!random_once_in(&r, 3))
				continue;
			changed = random_once_in(&r, 10) ? random_below(&r, groups) : charged[i];
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
