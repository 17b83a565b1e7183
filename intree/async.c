// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Promoting in the background what hint faults find
 *
 * In tiering mode, NUMA balancing decides in a hint fault whether the folio is hot, and isolates it
 * if so. Then the program that took the fault waits until the folio has been copied. Here the fault
 * ends at once instead, and a worker copies what has gathered for a node.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/pghot_hooks.h>
#include <linux/rcupdate.h>
#include <linux/sched/sysctl.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "mm/folio.h"
#include "mm/memcg.h"

/* Base pages that may wait for one node, 64 MiB. What comes then is promoted in its fault. */
#define WAITING_MAX	(SZ_64M >> PAGE_SHIFT)

/**
 * struct waiting - isolated folios that are to go to a node
 * @lock: protects @folios and @nr_pages; taken under page-table locks
 * @folios: the folios
 * @nr_pages: base pages of these
 * @work: moves them
 * @nid: the node
 */
struct waiting {
	spinlock_t lock; /* of @folios and @nr_pages */
	struct list_head folios;
	unsigned long nr_pages;
	struct work_struct work;
	int nid;
};

static struct waiting *waiting; /* by node; NULL until the kernel has booted */
static struct workqueue_struct *workers;

/* Takes the folios of one memory cgroup, which are counted there. */
static struct mem_cgroup *take_group(struct list_head *from, struct list_head *to)
{
	struct folio *folio, *next;
	struct mem_cgroup *memcg;

	folio = list_first_entry(from, struct folio, lru);
	memcg = pghot_memcg_get(folio);
	rcu_read_lock();
	list_for_each_entry_safe(folio, next, from, lru)
		if (folio_memcg(folio) == memcg)
			list_move_tail(&folio->lru, to);
	rcu_read_unlock();
	/* All of them are another one's by now. */
	if (list_empty(to))
		list_move_tail(from->next, to);
	return memcg;
}

static void promote_group(struct list_head *folios, int nid)
{
	struct folio_move move = { .nid = nid };
	struct mem_cgroup *memcg;
	unsigned int nr_pages;
	LIST_HEAD(group);
	LIST_HEAD(failed);

	memcg = take_group(folios, &group);
	nr_pages = pghot_folios_migrate(&group, &move, &failed);
	if (nr_pages)
		pghot_memcg_count_migrated(memcg, nid, nr_pages, true);
	pghot_folios_putback(&failed);
	pghot_memcg_put(memcg);
}

static void promote_waiting(struct work_struct *work)
{
	struct waiting *w = container_of(work, struct waiting, work);
	LIST_HEAD(folios);

	spin_lock(&w->lock);
	list_splice_init(&w->folios, &folios);
	w->nr_pages = 0;
	spin_unlock(&w->lock);
	while (!list_empty(&folios)) {
		promote_group(&folios, w->nid);
		cond_resched();
	}
}

/**
 * pghot_promote_later() - promote a folio soon, but not now
 * @folio: the folio, isolated and referenced by the caller, who gives the reference away
 * @nid: node that it is to go to
 *
 * Any context that a hint fault is handled in, under a page-table lock.
 *
 * Return: false if the caller has to do it: this is no promotion, or too many folios wait.
 */
bool pghot_promote_later(struct folio *folio, int nid)
{
	struct waiting *w = READ_ONCE(waiting);
	bool taken = false;

	if (!w || !(READ_ONCE(sysctl_numa_balancing_mode) & NUMA_BALANCING_MEMORY_TIERING) ||
	    node_is_toptier(folio_nid(folio)) || !node_is_toptier(nid))
		return false;
	w += nid;
	spin_lock(&w->lock);
	if (w->nr_pages < WAITING_MAX) {
		list_add_tail(&folio->lru, &w->folios);
		w->nr_pages += folio_nr_pages(folio);
		taken = true;
	}
	spin_unlock(&w->lock);
	if (taken)
		queue_work(workers, &w->work);
	return taken;
}

static int __init pghot_init(void)
{
	struct waiting *all = kzalloc_objs(*all, nr_node_ids);
	int nid;

	workers = alloc_workqueue("pghot", WQ_UNBOUND, 0);
	if (!all || !workers) {
		if (workers)
			destroy_workqueue(workers);
		kfree(all);
		return -ENOMEM;
	}
	for (nid = 0; nid < nr_node_ids; nid++) {
		spin_lock_init(&all[nid].lock);
		INIT_LIST_HEAD(&all[nid].folios);
		INIT_WORK(&all[nid].work, promote_waiting);
		all[nid].nid = nid;
	}
	/* Pairs with the READ_ONCE() of pghot_promote_later(), which depends on the address. */
	smp_store_release(&waiting, all);
	return 0;
}
late_initcall(pghot_init);
