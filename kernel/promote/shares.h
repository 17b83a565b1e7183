/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What a batch holds of each memory cgroup
 *
 * Pages of many memory cgroups alternate in memory. A batch takes them as they come, because each
 * batch has to be begun, sent to a worker and waited for. But each cgroup pays for what was moved
 * for it, and its own pages are counted for it. So a batch keeps a short table of cgroups.
 *
 * The folios of a cgroup stay side by side in the batch, in whatever order they come. Some are
 * unmapped at a time, and who touches one of them sleeps until all of these are moved. If they are
 * of one process, it sleeps once. If each were of another process, all of these would sleep.
 */
#ifndef PGHOT_PROMOTE_SHARES_H
#define PGHOT_PROMOTE_SHARES_H

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct mem_cgroup;

/* Cgroups in one batch. With more of them, a batch of base pages still holds at least so many. */
#define SHARES_MAX	64u

/**
 * struct share - what a batch holds of one memory cgroup
 * @memcg: the cgroup, referenced; NULL for folios that are charged to none
 * @last: the last of its folios, in the list of those of the batch
 * @nr_pages: size of its folios, base pages
 * @nr_failed: of these, pages that could not be moved
 * @taken: CPU time taken ahead for them, ns
 */
struct share {
	struct mem_cgroup *memcg;
	struct list_head *last;
	unsigned int nr_pages;
	unsigned int nr_failed;
	u64 taken;
};

/**
 * struct shares - what a batch holds of all memory cgroups
 * @nr: how many cgroups these are
 * @share: of each of them, in the order in which they came
 */
struct shares {
	unsigned int nr;
	struct share share[SHARES_MAX];
};

/**
 * shares_find() - the share of a cgroup
 * @shares: of a batch
 * @memcg: the cgroup, or NULL for none
 *
 * Pure. The one that came last is the most likely.
 *
 * Return: its share, or NULL if the batch holds nothing of it.
 */
static inline struct share *shares_find(struct shares *shares, const struct mem_cgroup *memcg)
{
	struct share *share = shares->share + shares->nr;

	while (share-- > shares->share)
		if (share->memcg == memcg)
			return share;
	return NULL;
}

/**
 * shares_have_place() - can folios of a cgroup be added?
 * @shares: of a batch
 * @memcg: the cgroup, or NULL for none
 *
 * Pure.
 */
static inline bool shares_have_place(struct shares *shares, const struct mem_cgroup *memcg)
{
	return shares->nr < SHARES_MAX || shares_find(shares, memcg);
}

/**
 * shares_add() - a folio was added to a batch
 * @shares: of the batch, with a place for @memcg
 * @memcg: cgroup that the folio is charged to, or NULL
 * @folio: its place in a list
 * @folios: that list
 * @nr_pages: its size, base pages
 * @taken: CPU time taken ahead for it, ns
 *
 * Pure. Puts the folio into the list, behind the others of its cgroup.
 *
 * Return: true if this is the first folio of the cgroup, so that the batch needs a reference.
 */
static inline bool shares_add(struct shares *shares, struct mem_cgroup *memcg,
			      struct list_head *folio, struct list_head *folios,
			      unsigned int nr_pages, u64 taken)
{
	struct share *share = shares_find(shares, memcg);
	bool first = !share;

	if (first) {
		share = &shares->share[shares->nr++];
		*share = (struct share){ .memcg = memcg, .last = folios->prev };
	}
	list_add(folio, share->last);
	share->last = folio;
	share->nr_pages += nr_pages;
	share->taken += taken;
	return first;
}

/* Returns how many of the pages are more than the share has. */
static inline unsigned int share_fail(struct share *share, unsigned int nr_pages)
{
	unsigned int nr = min(nr_pages, share->nr_pages - share->nr_failed);

	share->nr_failed += nr;
	return nr_pages - nr;
}

/**
 * shares_fail() - a folio of a batch could not be moved
 * @shares: of the batch
 * @memcg: cgroup that the folio is charged to now, or NULL
 * @nr_pages: its size, base pages
 *
 * Pure. The folio may have been charged to another cgroup since it was added. Then others stand in,
 * so that the sum over all cgroups is right.
 */
static inline void shares_fail(struct shares *shares, const struct mem_cgroup *memcg,
			       unsigned int nr_pages)
{
	struct share *share = shares_find(shares, memcg);
	unsigned int i;

	if (share)
		nr_pages = share_fail(share, nr_pages);
	for (i = 0; i < shares->nr && nr_pages; i++)
		nr_pages = share_fail(&shares->share[i], nr_pages);
}

#endif /* PGHOT_PROMOTE_SHARES_H */
