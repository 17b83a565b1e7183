// SPDX-License-Identifier: GPL-2.0
/*
 * A batch is filled by kmigrated and promoted by a worker of an unbound workqueue,
 * while kmigrated fills the next: copying pages is most of the work, and one CPU
 * copies slower than a workload's threads turn pages hot. What may be on its way at
 * a time is bounded by the number of batches.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "promote.h"
#include "stats.h"
#include "tunables.h"
#include "wrapper/folio.h"
#include "wrapper/memcg.h"

/* Batches of one slow node that are promoted at the same time, at most. */
#define PARALLEL_MAX	2u

/**
 * struct promote_batch - isolated folios of one memory cgroup for one node
 * @work: promotes them
 * @promoter: whose batch it is
 * @list: in the promoter's free batches
 * @folios: the folios
 * @nr_pages: their size, in base pages
 * @memcg: the cgroup, referenced; NULL for none
 * @nid: the node
 */
struct promote_batch {
	struct work_struct work;
	struct promoter *promoter;
	struct list_head list;
	struct list_head folios;
	unsigned int nr_pages;
	struct mem_cgroup *memcg;
	int nid;
};

static struct workqueue_struct *promote_wq;

/**
 * promote_init() - make the workers
 *
 * Process context, sleeps. Their CPUs and priority are set in
 * /sys/devices/virtual/workqueue/pghot/.
 *
 * Return: 0 or -ENOMEM.
 */
int promote_init(void)
{
	promote_wq = alloc_workqueue("pghot", WQ_UNBOUND | WQ_SYSFS, 0);
	return promote_wq ? 0 : -ENOMEM;
}

/**
 * promote_exit() - end the workers
 *
 * Process context, sleeps. All promoters have ended.
 */
void promote_exit(void)
{
	destroy_workqueue(promote_wq);
}

static void batch_return(struct promote_batch *batch)
{
	struct promoter *promoter = batch->promoter;

	spin_lock(&promoter->lock);
	list_add(&batch->list, &promoter->free);
	promoter->nr_free++;
	/* Under the lock: once all are back, the promoter may go. */
	wake_up(&promoter->returned);
	spin_unlock(&promoter->lock);
}

static void batch_promote(struct work_struct *work)
{
	struct promote_batch *batch = container_of(work, struct promote_batch, work);
	int from = folio_nid(list_first_entry(&batch->folios, struct folio, lru));
	unsigned int promoted = folios_migrate(&batch->folios, batch->nid);

	stats_node_add(from, NODE_STAT_BATCHES, 1);
	stats_node_add(from, NODE_STAT_FAILED_MIGRATE, batch->nr_pages - promoted);
	if (promoted) {
		stats_node_add(from, NODE_STAT_PROMOTED, promoted);
		stats_node_add(batch->nid, NODE_STAT_RECEIVED, promoted);
		memcg_count_promoted(batch->memcg, batch->nid, promoted);
		atomic_add(promoted, &batch->promoter->promoted);
	}
	memcg_put(batch->memcg);
	batch_return(batch);
}

static struct promote_batch *batch_take(struct promoter *promoter)
{
	struct promote_batch *batch;

	spin_lock(&promoter->lock);
	batch = list_first_entry_or_null(&promoter->free, struct promote_batch, list);
	if (batch) {
		list_del(&batch->list);
		promoter->nr_free--;
	}
	spin_unlock(&promoter->lock);
	return batch;
}

static void batch_send(struct promoter *promoter, int nid)
{
	queue_work(promote_wq, &promoter->open[nid]->work);
	promoter->open[nid] = NULL;
}

/**
 * promoter_init() - make the batches of one kmigrated
 * @promoter: to be filled in
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int promoter_init(struct promoter *promoter)
{
	unsigned int parallel = clamp(num_online_cpus() / 2, 1u, PARALLEL_MAX), i;

	/* One being filled for each target, and those on their way. */
	promoter->nr = num_node_state(N_MEMORY) + parallel;
	promoter->nr_free = promoter->nr;
	promoter->pool = kcalloc(promoter->nr, sizeof(*promoter->pool), GFP_KERNEL);
	promoter->open = kcalloc(nr_node_ids, sizeof(*promoter->open), GFP_KERNEL);
	if (!promoter->pool || !promoter->open) {
		promoter_exit(promoter);
		return -ENOMEM;
	}

	spin_lock_init(&promoter->lock);
	init_waitqueue_head(&promoter->returned);
	atomic_set(&promoter->promoted, 0);
	INIT_LIST_HEAD(&promoter->free);
	for (i = 0; i < promoter->nr; i++) {
		struct promote_batch *batch = &promoter->pool[i];

		INIT_WORK(&batch->work, batch_promote);
		INIT_LIST_HEAD(&batch->folios);
		batch->promoter = promoter;
		list_add(&batch->list, &promoter->free);
	}
	return 0;
}

/**
 * promoter_exit() - free the batches, of which none is on its way
 * @promoter: the promoter
 */
void promoter_exit(struct promoter *promoter)
{
	kfree(promoter->pool);
	kfree(promoter->open);
}

/**
 * promote_isolate() - take a folio for promotion, if it can be promoted
 * @folio: the folio, referenced by the caller
 *
 * Process context.
 *
 * Return: false if it must stay. Dirty file folios stay, as many file systems
 * cannot move them without writing them first; so do pinned ones.
 */
bool promote_isolate(struct folio *folio)
{
	int nid = folio_nid(folio);

	if (folio_is_file_lru(folio) && (folio_test_dirty(folio) || folio_test_writeback(folio))) {
		stats_node_add(nid, NODE_STAT_REFUSED_DIRTY, folio_nr_pages(folio));
		return false;
	}
	if (folio_maybe_dma_pinned(folio)) {
		stats_node_add(nid, NODE_STAT_REFUSED_PINNED, folio_nr_pages(folio));
		return false;
	}
	if (!folio_isolate(folio)) {
		stats_node_add(nid, NODE_STAT_FAILED_ISOLATE, folio_nr_pages(folio));
		return false;
	}
	return true;
}

/**
 * promote_add() - put an isolated folio into a batch
 * @promoter: whose batch
 * @folio: the folio, which promote_isolate() took
 * @nid: node that it goes to
 *
 * Process context, sleeps while all batches are on their way. A batch is sent off
 * when it is full, or when a folio of another memory cgroup comes.
 */
void promote_add(struct promoter *promoter, struct folio *folio, int nid)
{
	struct mem_cgroup *memcg = memcg_get(folio);
	struct promote_batch *batch = promoter->open[nid];

	if (batch && batch->memcg != memcg) {
		batch_send(promoter, nid);
		batch = NULL;
	}
	if (batch) {
		memcg_put(memcg);
	} else {
		wait_event(promoter->returned, (batch = batch_take(promoter)));
		batch->nr_pages = 0;
		batch->memcg = memcg;
		batch->nid = nid;
		promoter->open[nid] = batch;
	}

	list_add_tail(&folio->lru, &batch->folios);
	batch->nr_pages += folio_nr_pages(folio);
	if (batch->nr_pages >= READ_ONCE(pghot_kmigrated_batch_nr))
		batch_send(promoter, nid);
}

static bool all_returned(struct promoter *promoter)
{
	bool all;

	spin_lock(&promoter->lock);
	all = promoter->nr_free == promoter->nr;
	spin_unlock(&promoter->lock);
	return all;
}

/**
 * promoter_finish() - promote all that was added
 * @promoter: the promoter
 *
 * Process context, sleeps.
 *
 * Return: number of base pages promoted since the last call.
 */
unsigned int promoter_finish(struct promoter *promoter)
{
	int nid;

	for_each_node_state(nid, N_MEMORY) {
		if (promoter->open[nid])
			batch_send(promoter, nid);
	}
	wait_event(promoter->returned, all_returned(promoter));
	return atomic_xchg(&promoter->promoted, 0);
}
