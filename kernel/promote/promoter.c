// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Batches of folios, and the workers that move them
 *
 * kmigrated fills a batch, and a worker of an unbound workqueue promotes it while kmigrated fills
 * the next one. Copying pages is most of the work, and one CPU copies pages more slowly than the
 * threads of a workload make them hot. The number of batches bounds how much is on its way at a
 * time.
 *
 * A worker runs on the node that it promotes to. If no CPU there is idle, it runs on another node
 * that has an idle CPU. If the scheduler chose, all workers would start near kmigrated's CPU. They
 * would keep the threads of the workload from running there, and only the threads on other nodes
 * would be seen to use memory. The workqueue places work by the last-level cache of a CPU, so a CPU
 * is named: with a node alone, all workers would begin at the cache of kmigrated's CPU if that is
 * one of the node.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "core/hotmap.h"
#include "core/nodestat.h"
#include "core/slow.h"
#include "core/tunable.h"
#include "policy/policy.h"
#include "promote/budget.h"
#include "promote/candidate.h"
#include "promote/promoter.h"
#include "promote/shares.h"
#include "promote/trace.h"
#include "testing/inject.h"
#include "wrapper/balancing.h"
#include "wrapper/cpus.h"
#include "wrapper/cputime.h"
#include "wrapper/folio.h"
#include "wrapper/foliolist.h"
#include "wrapper/memcg.h"

PGHOT_TUNABLE(kmigrated_batch_nr, "Base pages promoted in one batch, 64 to 1024. (512)",
	      .doors = TUNABLE_DEBUGFS,
	      .min = 64,
	      .max = BOTH_MODES(1024),
	      .initial = BOTH_MODES(512));

/* Batches of one slow node that are on their way at the same time, at most. */
#define PARALLEL_MAX	8u
/* Those that are being filled: in memory, pages with different targets alternate. */
#define OPEN_MAX	8u

/*
 * How often it is tried to migrate a page, and the pause in between, us. Most reasons are over
 * by then: somebody held the page for a moment. Others may last for long.
 */
#define TRIES_MAX	3u
#define TRIES_PAUSE	2000u

/**
 * struct promote_batch - isolated folios, from one node to another
 * @work: promotes them
 * @promoter: whose batch it is
 * @list: in the promoter's free or open batches
 * @nr_pages: their size, in base pages
 * @nr_folios: how many they are
 * @from: node that they are on
 * @nid: node that they go to
 * @shares: the folios, by memory cgroup
 */
struct promote_batch {
	struct work_struct work;
	struct promoter *promoter;
	struct list_head list;
	unsigned int nr_pages;
	unsigned int nr_folios;
	int from;
	int nid;
	struct shares shares;
};

static struct workqueue_struct *promote_wq;
/* By target node: base pages in batches, for which memory is still to be allocated there. */
static atomic_t *on_way;
/* Where a worker was sent last. */
static unsigned int last_cpu;

/**
 * pghot_workers_init() - make the workers
 *
 * Process context, sleeps. Their CPUs and priority are set in
 * /sys/devices/virtual/workqueue/pghot/.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_workers_init(void)
{
	/* They run ahead of others: while a worker is preempted, nobody can use its pages. */
	promote_wq = inject_alloc(NULL, alloc_workqueue("pghot", WQ_UNBOUND | WQ_HIGHPRI | WQ_SYSFS,
							0));
	if (!promote_wq)
		return -ENOMEM;
	on_way = inject_alloc(NULL, kcalloc(nr_node_ids, sizeof(*on_way), GFP_KERNEL));
	if (!on_way) {
		destroy_workqueue(promote_wq);
		return -ENOMEM;
	}
	return 0;
}

/**
 * pghot_workers_exit() - end the workers
 *
 * Process context, sleeps. All promoters have ended.
 */
void pghot_workers_exit(void)
{
	destroy_workqueue(promote_wq);
	kfree(on_way);
}

/*
 * Where to run a worker. It takes the CPU from whoever has it, so an idle CPU is looked for: first
 * on the node that it works for, then on other nodes. If no CPU is idle, those of the node take
 * turns. Each search begins after the CPU that was found last, as that may still look idle.
 */
static int worker_cpu(int nid)
{
	unsigned int start = (READ_ONCE(last_cpu) + 1) % nr_cpu_ids;
	unsigned int cpu = pghot_cpus_pick(nid, start, true);
	int other;

	for_each_node_state(other, N_CPU)
		if (cpu >= nr_cpu_ids)
			cpu = pghot_cpus_pick(other, start, true);
	if (cpu >= nr_cpu_ids)
		cpu = pghot_cpus_pick(nid, start, false);
	if (cpu >= nr_cpu_ids)
		return WORK_CPU_UNBOUND;
	WRITE_ONCE(last_cpu, cpu);
	return cpu;
}

/**
 * pghot_workers_queue() - have a worker do something
 * @work: what; nothing happens if it is queued already
 * @nid: node that it works for
 * @delay: when, jiffies from now
 *
 * Any context.
 */
void pghot_workers_queue(struct delayed_work *work, int nid, unsigned long delay)
{
	/*
	 * What is to be done is written before it is read whether the work is queued. If it is, the
	 * worker reads it afterwards: the workqueue has a full barrier where it takes the work.
	 */
	smp_mb();
	if (delayed_work_pending(work))
		return;
	/* So that the CPU does not go offline before the work, or its timer, is there. */
	preempt_disable();
	queue_delayed_work_on(worker_cpu(nid), promote_wq, work, delay);
	preempt_enable();
}

/**
 * pghot_promoter_on_way() - what will arrive on a node
 * @nid: the node
 *
 * Any context.
 *
 * Return: base pages that were added for it, by all promoters, and are not promoted yet.
 */
unsigned int pghot_promoter_on_way(int nid)
{
	return atomic_read(&on_way[nid]);
}

static void batch_return(struct promote_batch *batch)
{
	struct promoter *promoter = batch->promoter;

	spin_lock(&promoter->lock);
	list_add(&batch->list, &promoter->free);
	promoter->nr_sent--;
	/* This is done under the lock, because the promoter may be freed once all are back. */
	wake_up(&promoter->returned);
	spin_unlock(&promoter->lock);
}

/* Those that could not be moved stay in the share. */
static void share_migrate(struct share *share, int nid)
{
	const struct folio_move move = { .nid = nid, .cpus = share->cpus };
	u64 start = pghot_cputime_ns();
	LIST_HEAD(failed);

	share->promoted += pghot_folios_migrate(&share->folios, &move, &failed);
	pghot_folios_move(&failed, &share->folios);
	share->cost += pghot_cputime_ns() - start;
}

/* What could not be moved is on its list again. */
static void share_put_back(struct share *share, int nid)
{
	struct folio *folio;

	/* These folios are still isolated, so that others can neither free nor move them. */
	list_for_each_entry(folio, &share->folios, lru)
		pghot_hotmap_put_back(folio_pfn(folio), nid);
	pghot_folios_putback(&share->folios);
}

/* Returns whether folios are left that could not be moved. */
static bool batch_try(struct promote_batch *batch)
{
	struct share *share;
	bool left = false;

	for_each_share(share, &batch->shares) {
		if (!list_empty(&share->folios))
			share_migrate(share, batch->nid);
		left |= !list_empty(&share->folios);
	}
	return left;
}

static enum policy_kind kind_of(const struct promote_batch *batch)
{
	return batch->nr_pages / batch->nr_folios >= HPAGE_PMD_NR / 2 ? POLICY_HUGE : POLICY_SMALL;
}

/* Returns base pages that were moved. */
static unsigned int batch_migrate(struct promote_batch *batch)
{
	unsigned int tries, promoted = 0;
	struct share *share;

	for (tries = 1; batch_try(batch) && tries < TRIES_MAX; tries++)
		/* Idle: who waits so must not count as load. */
		usleep_range_state(TRIES_PAUSE, 2 * TRIES_PAUSE, TASK_IDLE);
	for_each_share(share, &batch->shares) {
		share_put_back(share, batch->nid);
		promoted += share->promoted;
	}
	return promoted;
}

/* Count for each cgroup what was promoted, have it pay, and let it go. */
static void batch_settle(struct promote_batch *batch)
{
	struct share *share;

	for_each_share(share, &batch->shares) {
		if (share->promoted)
			pghot_memcg_count_migrated(share->memcg, batch->nid, share->promoted,
						   !pghot_is_slow(batch->nid));
		pghot_budget_settle(share->memcg, share->taken, share->cost, share->nr_pages);
		pghot_memcg_put(share->memcg);
	}
}

static void batch_promote(struct work_struct *work)
{
	struct promote_batch *batch = container_of(work, struct promote_batch, work);
	struct promoter *promoter = batch->promoter;
	u64 start = pghot_cputime_ns(), cost;
	unsigned int promoted;

	pghot_policy_moving(kind_of(batch));
	promoted = batch_migrate(batch);
	atomic_sub(batch->nr_pages, &on_way[batch->nid]);
	trace_pghot_promote(batch->from, batch->nid, promoted, batch->nr_pages);
	pghot_nodestat_add(batch->from, NODE_STAT_BATCHES, 1);
	pghot_nodestat_add(batch->from, NODE_STAT_FAILED_MIGRATE, batch->nr_pages - promoted);
	if (promoted) {
		pghot_nodestat_add(batch->from, NODE_STAT_PROMOTED, promoted);
		pghot_nodestat_add(batch->nid, NODE_STAT_RECEIVED, promoted);
		atomic_add(promoted, &promoter->promoted);
	}
	batch_settle(batch);
	cost = pghot_cputime_ns() - start;
	pghot_nodestat_add(batch->from, NODE_STAT_KMIGRATED_CPU_NS, cost);
	pghot_policy_moved(kind_of(batch), promoted, cost);
	batch_return(batch);
}

static bool fewer_sent(struct promoter *promoter, unsigned int nr)
{
	bool fewer;

	spin_lock(&promoter->lock);
	fewer = promoter->nr_sent < nr;
	spin_unlock(&promoter->lock);
	return fewer;
}

/* Sleeps while enough are on their way. */
static void batch_send(struct promoter *promoter, struct promote_batch *batch)
{
	unsigned int parallel = min(num_online_cpus(), PARALLEL_MAX);

	wait_event_idle(promoter->returned, fewer_sent(promoter, parallel));
	list_del(&batch->list);
	promoter->nr_open--;
	spin_lock(&promoter->lock);
	promoter->nr_sent++;
	spin_unlock(&promoter->lock);
	queue_work_on(worker_cpu(batch->nid), promote_wq, &batch->work);
}

/**
 * pghot_promoter_init() - make the batches of one kmigrated
 * @promoter: to be filled in
 * @nid: slow node that it promotes from
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int pghot_promoter_init(struct promoter *promoter, int nid)
{
	unsigned int i;

	promoter->nid = nid;
	promoter->pool = inject_alloc(NULL, kcalloc(OPEN_MAX + PARALLEL_MAX,
						    sizeof(*promoter->pool), GFP_KERNEL));
	if (!promoter->pool)
		return -ENOMEM;

	spin_lock_init(&promoter->lock);
	init_waitqueue_head(&promoter->returned);
	atomic_set(&promoter->promoted, 0);
	INIT_LIST_HEAD(&promoter->free);
	INIT_LIST_HEAD(&promoter->open);
	promoter->nr_open = 0;
	promoter->nr_sent = 0;
	for (i = 0; i < OPEN_MAX + PARALLEL_MAX; i++) {
		struct promote_batch *batch = &promoter->pool[i];

		INIT_WORK(&batch->work, batch_promote);
		batch->promoter = promoter;
		list_add(&batch->list, &promoter->free);
	}
	return 0;
}

/**
 * pghot_promoter_exit() - free the batches, of which none is on its way
 * @promoter: the promoter
 */
void pghot_promoter_exit(struct promoter *promoter)
{
	kfree(promoter->pool);
}

/*
 * Compaction asks in the same way. The folio's lock is needed because truncation holds it, and may
 * free the mapping.
 */
static bool moves_dirty(struct folio *folio)
{
	struct address_space *mapping;
	bool moves;

	if (!folio_trylock(folio))
		return false;
	mapping = folio_mapping(folio);
	moves = !mapping || mapping->a_ops->migrate_folio;
	folio_unlock(folio);
	return moves;
}

/**
 * pghot_promoter_is_dirty() - is this page cache that has to be written first?
 * @folio: the folio, referenced by the caller
 *
 * Process context. A folio that is being written cannot be moved. A dirty folio can be moved only
 * with the help of its file system. If somebody else has locked a dirty folio, it cannot be told
 * whether it can be moved, and it counts as one that cannot.
 */
bool pghot_promoter_is_dirty(struct folio *folio)
{
	if (!folio_is_file_lru(folio))
		return false;
	return folio_test_writeback(folio) || (folio_test_dirty(folio) && !moves_dirty(folio));
}

/**
 * pghot_promoter_isolate() - take a folio for promotion
 * @folio: the folio, referenced by the caller
 *
 * Process context.
 *
 * Return: false, and counted, if it is not on an LRU list any more.
 */
bool pghot_promoter_isolate(struct folio *folio)
{
	if (pghot_folio_isolate(folio))
		return true;
	pghot_nodestat_add(pghot_folio_nid(folio), NODE_STAT_FAILED_ISOLATE, folio_nr_pages(folio));
	return false;
}

static struct promote_batch *batch_find(const struct promoter *promoter, int from, int nid)
{
	struct promote_batch *batch;

	list_for_each_entry(batch, &promoter->open, list)
		if (batch->from == from && batch->nid == nid)
			return batch;
	return NULL;
}

static struct promote_batch *batch_begin(struct promoter *promoter, int from, int nid)
{
	struct promote_batch *batch;

	if (promoter->nr_open == OPEN_MAX)
		batch_send(promoter, list_first_entry(&promoter->open, struct promote_batch, list));

	/* There is a free one: fewer than all are open or on their way. */
	spin_lock(&promoter->lock);
	batch = list_first_entry(&promoter->free, struct promote_batch, list);
	list_move_tail(&batch->list, &promoter->open);
	spin_unlock(&promoter->lock);
	promoter->nr_open++;
	batch->nr_pages = 0;
	batch->nr_folios = 0;
	batch->shares.nr = 0;
	batch->from = from;
	batch->nid = nid;
	return batch;
}

/* Takes the reference to the cgroup over, unless there is no place for it: then returns NULL. */
static struct share *batch_share(struct promote_batch *batch, struct mem_cgroup *memcg)
{
	struct share *share = shares_find(&batch->shares, memcg);

	if (!share)
		return shares_begin(&batch->shares, memcg);
	pghot_memcg_put(memcg);
	return share;
}

/**
 * pghot_promoter_add() - put an isolated folio into a batch
 * @promoter: whose batch
 * @folio: the folio, which pghot_promoter_isolate() took
 * @c: the node that it is on, the node that it goes to, and who uses it
 *
 * Process context, sleeps while all batches are on their way. A batch holds folios of one node for
 * another one. It is sent off when it is full, or when a folio of one more memory cgroup than it
 * has places for is to be added.
 */
void pghot_promoter_add(struct promoter *promoter, struct folio *folio,
			const struct candidate *c)
{
	struct promote_batch *batch = batch_find(promoter, c->from, c->nid);
	struct mem_cgroup *memcg = pghot_memcg_get(folio);
	unsigned int nr = folio_nr_pages(folio);
	struct share *share;

	if (!batch)
		batch = batch_begin(promoter, c->from, c->nid);
	share = batch_share(batch, memcg);
	if (!share) {
		batch_send(promoter, batch);
		batch = batch_begin(promoter, c->from, c->nid);
		share = batch_share(batch, memcg);
	}

	pghot_balancing_note_use(folio, c->nid);
	atomic_add(nr, &on_way[c->nid]);
	pghot_folio_add(folio, &share->folios);
	batch->nr_pages += nr;
	batch->nr_folios++;
	share->nr_pages += nr;
	share->cpus = max(share->cpus, c->cpus);
	share->taken += pghot_budget_take(share->memcg, nr);
	if (batch->nr_pages >= pghot_tunable_get(&pghot_kmigrated_batch_nr))
		batch_send(promoter, batch);
}

/**
 * pghot_promoter_finish() - promote all that was added
 * @promoter: the promoter
 *
 * Process context, sleeps.
 *
 * Return: number of base pages promoted since the last call.
 */
unsigned int pghot_promoter_finish(struct promoter *promoter)
{
	struct promote_batch *batch, *next;

	list_for_each_entry_safe(batch, next, &promoter->open, list)
		batch_send(promoter, batch);
	wait_event_idle(promoter->returned, fewer_sent(promoter, 1));
	return atomic_xchg(&promoter->promoted, 0);
}
