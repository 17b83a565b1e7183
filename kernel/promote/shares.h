/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What a batch holds of each memory cgroup
 *
 * Pages of many memory cgroups alternate in memory. A batch takes them as they come, because each
 * batch has to be begun, sent to a worker and waited for. But each cgroup pays for what was moved
 * for it, and its own pages are counted for it. So a batch has a share for each cgroup, and the
 * worker moves one share after the other.
 *
 * That is better for programs, too. Some folios are unmapped at a time, and who touches one of them
 * sleeps until all of these are moved. If they are of one process, it sleeps once. If each were of
 * another process, all of these would sleep.
 */
#ifndef PGHOT_PROMOTE_SHARES_H
#define PGHOT_PROMOTE_SHARES_H

#include <linux/list.h>
#include <linux/types.h>

struct mem_cgroup;

/* Cgroups in one batch. With more of them, a batch of base pages still holds at least so many. */
#define SHARES_MAX	64u

/**
 * struct share - what a batch holds of one memory cgroup
 * @memcg: the cgroup, referenced; NULL for folios that are charged to none
 * @folios: its folios; when the worker has done its work, those that could not be moved
 * @nr_pages: size of its folios, base pages
 * @promoted: of these, pages that were promoted
 * @cpus: CPUs that one of their processes runs on, at most
 * @taken: CPU time taken ahead for them, ns
 * @cost: CPU time that they have taken, ns
 */
struct share {
	struct mem_cgroup *memcg;
	struct list_head folios;
	unsigned int nr_pages;
	unsigned int promoted;
	unsigned int cpus;
	u64 taken;
	u64 cost;
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

/* For each share of a batch. */
#define for_each_share(_share, _shares)						\
	for ((_share) = (_shares)->share; (_share) < (_shares)->share + (_shares)->nr; (_share)++)

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
 * shares_begin() - a cgroup has its first folio in a batch
 * @shares: of the batch, which holds nothing of @memcg
 * @memcg: the cgroup, with a reference for the batch; or NULL
 *
 * Pure.
 *
 * Return: its share, still without folios; NULL if there are too many cgroups.
 */
static inline struct share *shares_begin(struct shares *shares, struct mem_cgroup *memcg)
{
	struct share *share = &shares->share[shares->nr];

	if (shares->nr == SHARES_MAX)
		return NULL;
	shares->nr++;
	*share = (struct share){ .memcg = memcg };
	INIT_LIST_HEAD(&share->folios);
	return share;
}

#endif /* PGHOT_PROMOTE_SHARES_H */
