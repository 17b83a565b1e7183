// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "admit.h"
#include "hotscan.h"
#include "inject.h"
#include "interleave.h"
#include "kmigrated.h"
#include "pghot.h"
#include "promote.h"
#include "stats.h"
#include "target.h"
#include "trace.h"
#include "tunables.h"
#include "wrapper/cputime.h"

/* Longest pause between two passes that promote nothing, ms. */
#define BACKOFF_MAX	1000u

/*
 * Longest pause while the rate is used up, ms. Pages that become ready meanwhile are to
 * be judged at the age they have then, less than half a unit of the hot threshold older:
 * seen a second later, few would be hot, and the threshold would be tuned to these few.
 */
#define RATE_LOOK	50u

/**
 * struct kmigrated - the thread of a slow node
 * @node: the node
 * @thread: the thread
 * @promoter: where isolated folios go
 * @use: which nodes use the memory of this one
 * @full: in this pass no target had room for a base page: nothing more can be promoted
 * @wait_ms: in this pass a page was refused for the rate; ms until it is worth asking
 *	again, else 0
 * @backoff: pause after the last pass, if it could promote nothing of what it met, ms
 */
struct kmigrated {
	struct hot_node *node;
	struct task_struct *thread;
	struct promoter promoter;
	struct interleave *use;
	bool full;
	unsigned int wait_ms;
	unsigned int backoff;
};

/**
 * struct candidate - a ready page
 * @pfn: its number; of a large folio, its head's
 * @accessor: node that used it last, NUMA_NO_NODE if unknown
 * @shared: it is used from several nodes
 * @counted: it was a candidate before, and waits for the rate
 * @age_ms: time since its last access, ms
 * @nid: node that it is to go to, once taken
 */
struct candidate {
	unsigned long pfn;
	int accessor;
	bool shared;
	bool counted;
	unsigned int age_ms;
	int nid;
};

enum verdict {
	DROP,	/* the record says nothing any more */
	COOL,	/* not hot enough: it is to be accessed again first */
	KEEP,	/* not now: the record stays, ready */
	WAIT,	/* likewise, for the rate, and it counts as a candidate from now on */
	TAKEN,	/* isolated */
};

static enum verdict refuse(struct kmigrated *k, const struct candidate *c, unsigned int nr,
			   enum pghot_refusal reason, enum verdict verdict)
{
	stats_node_add(k->node->nid, NODE_STAT_REFUSED_FULL + reason, nr);
	trace_pghot_refuse(c->pfn, k->node->nid, reason);
	return verdict;
}

/* @folio is referenced. */
static enum verdict take_folio(struct kmigrated *k, struct folio *folio, struct candidate *c)
{
	unsigned int nr = folio_nr_pages(folio);
	int nid = k->node->nid;

	/* Freed and in use again, as something else, since it was recorded. */
	if (folio_pfn(folio) != c->pfn || folio_nid(folio) != nid)
		return DROP;
	/* On its way to a list, or just off it. */
	if (!folio_test_lru(folio))
		return KEEP;
	if (promote_is_dirty(folio))
		return refuse(k, c, nr, PGHOT_REFUSED_DIRTY, KEEP);
	if (folio_maybe_dma_pinned(folio))
		return refuse(k, c, nr, PGHOT_REFUSED_PINNED, KEEP);

	interleave_note(k->use, c->accessor);
	c->nid = target_pick(nid, interleave_pick(k->use, c->accessor, c->shared), nr);
	if (c->nid == nid)
		return DROP;
	if (c->nid == NUMA_NO_NODE) {
		k->full = nr == 1;
		return refuse(k, c, nr, PGHOT_REFUSED_FULL, KEEP);
	}

	switch (admit(c->nid, nr, c->age_ms, c->counted)) {
	case THROTTLE_COLD:
		return refuse(k, c, nr, PGHOT_REFUSED_COLD, COOL);
	case THROTTLE_RATE:
		k->wait_ms = admit_wait_ms(c->nid);
		return c->counted ? KEEP : refuse(k, c, nr, PGHOT_REFUSED_RATE, WAIT);
	case THROTTLE_GO:
		break;
	}
	if (!promote_isolate(&k->promoter, folio))
		return KEEP;
	interleave_placed(k->use, c->nid, nr);
	return TAKEN;
}

static enum verdict take_page(struct kmigrated *k, struct candidate *c)
{
	struct page *page = pfn_to_online_page(c->pfn);
	enum verdict verdict = DROP;
	struct folio *folio;

	if (!page)
		return DROP;
	folio = page_folio(page);
	if (!folio_try_get(folio))
		return DROP;
	if (folio == page_folio(page))
		verdict = take_folio(k, folio, c);
	/* Isolated, it is held by the list's reference; one more would keep it here. */
	folio_put(folio);
	if (verdict == TAKEN)
		promote_add(&k->promoter, folio, c->nid);
	return verdict;
}

static void read_accessor(const struct rec_format *f, struct hot_section *section,
			  unsigned int index, u32 rec, struct candidate *c)
{
	int accessor;

	if (f->nid_mask) {
		c->accessor = rec_nid(f, rec);
		c->shared = rec & f->shared;
		return;
	}
	accessor = READ_ONCE(section->accessor[index / REC_LINE]);
	c->shared = accessor != NUMA_NO_NODE && accessor & ACCESSOR_SHARED;
	c->accessor = c->shared ? accessor & ~ACCESSOR_SHARED : accessor;
}

/* Whoever uses the page meanwhile changes the record: then that counts. */
static bool visit(void *arg, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	struct kmigrated *k = arg;
	struct candidate c = { .pfn = section_nr_to_pfn(section->nr) + index };
	/* For each record anew: promotion sleeps. */
	u64 now = rec_bucket(f, pghot_clock());
	u32 ref, rec, idle;

	ref = hotmap_line_ref(f, section, index / REC_LINE, now);
	rec = hotmap_rec(f, section, index);
	if (!rec_ready(f, rec))
		return false;
	c.counted = rec_counted(f, rec);
	if (k->full || (c.counted && k->wait_ms))
		return true;
	idle = rec_idle(f, rec, ref);
	idle -= min(idle, ref - (u32)now);
	c.age_ms = ((u64)idle << f->bucket_shift) / NSEC_PER_MSEC;
	read_accessor(f, section, index, rec, &c);

	switch (take_page(k, &c)) {
	case KEEP:
		return true;
	case WAIT:
		hotmap_change(f, section, index, &rec, rec_count(f, rec));
		return true;
	case COOL:
		return !hotmap_change(f, section, index, &rec, rec_cool(f, rec));
	case TAKEN:
		while (rec && !hotmap_change(f, section, index, &rec, 0))
			;
		return false;
	case DROP:
	default:
		return !hotmap_change(f, section, index, &rec, 0);
	}
}

/* Returns the pause before the next pass, ms. */
static unsigned int pass(struct kmigrated *k)
{
	unsigned int pause = READ_ONCE(pghot_kmigrated_sleep_ms), promoted;
	u64 start = cputime_ns();
	bool kept;

	atomic_xchg(&k->node->pending, 0);
	k->full = false;
	k->wait_ms = 0;
	kept = hotscan(rec_format(), k->node, visit, k);
	promoted = promoter_finish(&k->promoter);

	if (kept)
		atomic_set(&k->node->pending, 1);
	if (k->wait_ms || promoted || !kept)
		k->backoff = 0;
	else
		k->backoff = min(max(k->backoff, max(pause, 1u)) * 2, BACKOFF_MAX);
	pause = max3(pause, k->backoff, min(k->wait_ms, RATE_LOOK));
	stats_node_add(k->node->nid, NODE_STAT_PASSES, 1);
	stats_node_add(k->node->nid, NODE_STAT_KMIGRATED_CPU_NS, cputime_ns() - start);
	return pause;
}

static int kmigrated(void *arg)
{
	struct kmigrated *k = arg;
	wait_queue_head_t *wait = &k->node->wait;
	unsigned int pause = READ_ONCE(pghot_kmigrated_sleep_ms);

	/* Its workers run ahead of others, and live on what it finds. */
	set_user_nice(current, MIN_NICE);
	while (!kthread_should_stop()) {
		wait_event_idle(*wait, atomic_read(&k->node->pending) || kthread_should_stop());
		/* Let ready pages gather: a batch costs less than its pages would. */
		wait_event_idle_timeout(*wait, kthread_should_stop(), msecs_to_jiffies(pause));
		if (!kthread_should_stop())
			pause = pass(k);
	}
	return 0;
}

static void kmigrated_free(struct kmigrated *k)
{
	kfree(k->use);
	kfree(k);
}

/**
 * kmigrated_start() - start the thread of a slow node
 * @node: the node, with or without records as yet
 *
 * Process context, sleeps. It may run on any CPU, ahead of others; taskset -p and
 * renice change that.
 *
 * Return: for kmigrated_stop(), or an ERR_PTR() with nothing left behind.
 */
struct kmigrated *kmigrated_start(struct hot_node *node)
{
	struct kmigrated *k = inject_alloc(NULL, kzalloc(sizeof(*k), GFP_KERNEL));
	int ret = -ENOMEM;

	if (!k)
		return ERR_PTR(ret);
	k->node = node;
	k->use = inject_alloc(NULL, kzalloc(interleave_size(nr_node_ids), GFP_KERNEL));
	if (!k->use)
		goto failed;
	interleave_init(k->use, nr_node_ids);
	ret = promoter_init(&k->promoter, node->nid);
	if (ret)
		goto failed;

	k->thread = inject_alloc(ERR_PTR(-ENOMEM),
				 kthread_run(kmigrated, k, "kmigrated%d", node->nid));
	if (IS_ERR(k->thread)) {
		ret = PTR_ERR(k->thread);
		promoter_exit(&k->promoter);
		goto failed;
	}
	return k;

failed:
	kmigrated_free(k);
	return ERR_PTR(ret);
}

/**
 * kmigrated_stop() - end a thread
 * @k: the thread
 *
 * Process context, sleeps. A pass on its way is finished; no folio stays isolated.
 */
void kmigrated_stop(struct kmigrated *k)
{
	kthread_stop(k->thread);
	promoter_exit(&k->promoter);
	kmigrated_free(k);
}
