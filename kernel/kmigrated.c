// SPDX-License-Identifier: GPL-2.0
/*
 * One thread for each slow node. It looks at the records that are ready, decides what
 * becomes of each page, and hands those that are to be promoted to workers.
 *
 * A record that it leaves ready waits. It looks at waiting records only when there may be
 * room or budget for them, goes on where it stopped the last time, and ends a look that
 * cannot promote anything. So what a pass costs depends on what it promotes and on what
 * has just become ready, not on how much waits.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "admit.h"
#include "budget.h"
#include "hotscan.h"
#include "inject.h"
#include "interleave.h"
#include "kmigrated.h"
#include "pghot.h"
#include "promote.h"
#include "stats.h"
#include "target.h"
#include "tiers.h"
#include "trace.h"
#include "tunables.h"
#include "wrapper/allowed.h"
#include "wrapper/cputime.h"
#include "wrapper/folio.h"

/* Longest pause between two passes that promote nothing, ms. */
#define BACKOFF_MAX	1000u

/*
 * Longest pause while the rate is used up, ms. Pages that become ready meanwhile are to
 * be judged at the age they have then, less than half a unit of the hot threshold older:
 * seen a second later, few would be hot, and the threshold would be tuned to these few.
 */
#define RATE_LOOK	50u

/*
 * What one pass may spend on waiting records that it cannot promote: some 2.5 ms, in units of
 * what it takes to see that a record's target has no budget. To look at its page takes so
 * many of these. The next pass goes on with the records after them.
 */
#define VAIN_MAX	131072u
#define VAIN_LOOK	8u

/* Base pages that a pass has to promote if the next one is to come sooner. */
#define WORTH_IT	32u

/**
 * struct pass - one look at what is ready
 * @queue: the records that are being looked at
 * @full: no target had room for a base page: nothing more can be promoted
 * @budget: a page was refused for the budget or a limit of its cgroup
 * @vain: what was spent on records that were left waiting
 * @spent: targets whose rate is used up for this second
 * @next_second: when the first of these has its next second, in the throttle's ms
 */
struct pass {
	enum hot_queue queue;
	bool full;
	bool budget;
	unsigned int vain;
	nodemask_t spent;
	unsigned int next_second;
};

/**
 * struct kmigrated - the thread of a slow node
 * @node: the node
 * @thread: the thread
 * @promoter: where isolated folios go
 * @use: which nodes use the memory of this one
 * @pass: what it is doing
 * @allowed: nodes that the page it looks at may go to
 * @backoff: pause after the last pass, if it left ready records and promoted nothing, ms
 */
struct kmigrated {
	struct hot_node *node;
	struct task_struct *thread;
	struct promoter promoter;
	struct interleave *use;
	struct pass pass;
	nodemask_t allowed;
	unsigned int backoff;
};

/**
 * struct candidate - a ready page
 * @pfn: its number; of a large folio, its head's
 * @accessor: node that used it last, NUMA_NO_NODE if unknown
 * @shared: it is used from several nodes
 * @counted: it was a candidate before, and waits for the rate
 * @age_ms: time since its last access, ms
 * @from: slow node that it is on
 * @nid: node that it is to go to, once taken
 */
struct candidate {
	unsigned long pfn;
	int accessor;
	bool shared;
	bool counted;
	unsigned int age_ms;
	int from;
	int nid;
};

/**
 * enum verdict - what becomes of a ready record
 * @DROP: it is cleared, as it says nothing about the page any more
 * @COOL: it is not ready any more, but keeps its history: the next access makes it ready
 * @KEEP: it stays ready, and is looked at again
 * @COUNT: likewise, and is marked: the page was counted as a candidate
 * @TAKEN: it is cleared, as the page is isolated for promotion
 */
enum verdict {
	DROP,
	COOL,
	KEEP,
	COUNT,
	TAKEN,
};

static enum verdict refuse(const struct candidate *c, unsigned int nr, enum pghot_refusal reason,
			   enum verdict verdict)
{
	stats_node_add(c->from, NODE_STAT_REFUSED_FULL + reason, nr);
	trace_pghot_refuse(c->pfn, c->from, reason);
	return verdict;
}

static void note_spent(struct pass *pass, int nid)
{
	unsigned int next = admit_next_second(nid);

	if (nodes_empty(pass->spent) || (int)(next - pass->next_second) < 0)
		pass->next_second = next;
	node_set(nid, pass->spent);
}

/* @folio is referenced. */
static enum verdict take_folio(struct kmigrated *k, struct folio *folio, struct candidate *c)
{
	unsigned int nr = folio_nr_pages(folio);

	c->from = folio_nid(folio);
	/* Freed and in use again, as something else, since it was recorded. */
	if (folio_pfn(folio) != c->pfn || !tiers_is_slow(c->from))
		return DROP;
	if (!folio_test_lru(folio))
		return folio_may_be_lru(folio) ? KEEP : DROP;
	if (promote_is_dirty(folio))
		return refuse(c, nr, PGHOT_REFUSED_DIRTY, KEEP);
	/* This may last as long as a virtual machine runs. */
	if (folio_is_pinned(folio))
		return refuse(c, nr, PGHOT_REFUSED_PINNED, COOL);

	if (allowed_nodes(folio, &k->allowed))
		return KEEP;
	if (!target_exists(&k->allowed))
		return refuse(c, nr, PGHOT_REFUSED_POLICY, COOL);

	switch (budget_ask(folio)) {
	case BUDGET_NEVER:
		return refuse(c, nr, PGHOT_REFUSED_CGROUP, DROP);
	case BUDGET_LIMIT:
		k->pass.budget = true;
		return refuse(c, nr, PGHOT_REFUSED_CGROUP, KEEP);
	case BUDGET_CPU:
		k->pass.budget = true;
		return refuse(c, nr, PGHOT_REFUSED_SHARE, KEEP);
	case BUDGET_GO:
		break;
	}
	interleave_note(k->use, c->accessor);
	c->nid = target_pick(c->from, interleave_pick(k->use, c->accessor, c->shared), nr,
			     &k->allowed);
	if (c->nid == c->from)
		return DROP;
	if (c->nid == NUMA_NO_NODE) {
		/* One that may not go everywhere says nothing about the others. */
		k->pass.full = nr == 1 && target_all_in(&k->allowed);
		return refuse(c, nr, PGHOT_REFUSED_FULL, KEEP);
	}

	switch (admit(c->nid, nr, c->age_ms, c->counted)) {
	case THROTTLE_COLD:
		return refuse(c, nr, PGHOT_REFUSED_COLD, COOL);
	case THROTTLE_RATE:
		note_spent(&k->pass, c->nid);
		return c->counted ? KEEP : refuse(c, nr, PGHOT_REFUSED_RATE, COUNT);
	case THROTTLE_GO:
		break;
	}
	if (!promote_isolate(folio)) {
		admit_return(c->nid, nr);
		return COUNT;
	}
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
		promote_add(&k->promoter, folio, c->from, c->nid);
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

/* Are there no more pages that this pass may promote? */
static bool is_over(const struct pass *pass)
{
	if (pass->full || kthread_should_stop() || freezing(current))
		return true;
	/* Records that have just become ready are all looked at, if only to count them. */
	return pass->queue == HOT_WAITING &&
	       (pass->vain >= VAIN_MAX || target_all_in(&pass->spent));
}

/* Is this a page for a target whose rate is used up? Without a look at the page. */
static bool has_no_budget(const struct kmigrated *k, const struct candidate *c)
{
	int nid = interleave_pick(k->use, c->accessor, c->shared);

	return nid != NUMA_NO_NODE && node_isset(nid, k->pass.spent);
}

/* Does what the verdict says. Returns false if the record was used again meanwhile. */
static bool settle(const struct rec_format *f, struct hot_section *section, unsigned int index,
		   u32 rec, enum verdict verdict)
{
	switch (verdict) {
	case KEEP:
		return true;
	case COUNT:
		return hotmap_change(f, section, index, &rec, rec_count(f, rec));
	case COOL:
		return hotmap_change(f, section, index, &rec, rec_cool(f, rec));
	case TAKEN:
		while (rec && !hotmap_change(f, section, index, &rec, 0))
			;
		return true;
	case DROP:
	default:
		return hotmap_change(f, section, index, &rec, 0);
	}
}

static enum hotscan_verdict visit(void *arg, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	struct kmigrated *k = arg;
	struct candidate c = { .pfn = section_nr_to_pfn(section->nr) + index };
	/* For each record anew: promotion sleeps. */
	u64 now = rec_bucket(f, pghot_clock());
	enum verdict verdict;
	u32 ref, rec, idle;
	bool kept;

	if (is_over(&k->pass))
		return HOTSCAN_STOP;
	ref = hotmap_line_ref(f, section, index / REC_LINE, now);
	rec = hotmap_rec(f, section, index);
	if (!rec_ready(f, rec))
		return HOTSCAN_DONE;
	c.counted = rec_counted(f, rec);
	/* It shares a line with one that has just become ready, and waits. */
	if (c.counted && k->pass.queue == HOT_FRESH)
		return HOTSCAN_KEPT;
	idle = rec_idle(f, rec, ref);
	idle -= min(idle, ref - (u32)now);
	c.age_ms = ((u64)idle << f->bucket_shift) / NSEC_PER_MSEC;
	read_accessor(f, section, index, rec, &c);
	if (c.counted && has_no_budget(k, &c)) {
		k->pass.vain++;
		return HOTSCAN_KEPT;
	}

	verdict = take_page(k, &c);
	kept = verdict == KEEP || verdict == COUNT;
	k->pass.vain += kept ? VAIN_LOOK : 0;
	/* Whoever used the page meanwhile has changed the record: then that counts. */
	if (!settle(f, section, index, rec, verdict))
		kept = true;
	return kept ? HOTSCAN_KEPT : HOTSCAN_DONE;
}

/* How long until a target that has refused for the rate may take pages again, ms. */
static unsigned int wait_ms(const struct pass *pass)
{
	int wait = pass->next_second - admit_now();

	return nodes_empty(pass->spent) ? 0 : max(wait, 0);
}

/* Looks at what is ready. Returns base pages promoted. */
static unsigned int look(struct kmigrated *k)
{
	struct pass *pass = &k->pass;

	pass->full = false;
	pass->budget = false;
	pass->vain = 0;
	if (!wait_ms(pass))
		nodes_clear(pass->spent);
	/* Those that wait for room are first, or the fresh ones would always take it. */
	if (nodes_empty(pass->spent)) {
		pass->queue = HOT_WAITING;
		hotscan(rec_format(), k->node, HOT_WAITING, visit, k);
	}
	pass->queue = HOT_FRESH;
	if (!pass->full)
		hotscan(rec_format(), k->node, HOT_FRESH, visit, k);
	return promoter_finish(&k->promoter);
}

/* Returns how long to gather before the next pass, ms, and whether it has to come at all. */
static unsigned int pass(struct kmigrated *k, bool *again)
{
	unsigned int pause = READ_ONCE(pghot_kmigrated_sleep_ms), promoted;
	u64 start = cputime_ns(), cost;

	atomic_xchg(&k->node->pending, 0);
	promoted = look(k);
	*again = hotscan_any(k->node, HOT_WAITING) || hotscan_any(k->node, HOT_FRESH);
	if (!*again || k->pass.budget || (!k->pass.full && wait_ms(&k->pass)))
		k->backoff = 0;
	else if (promoted >= WORTH_IT)
		k->backoff /= 2;
	else if (!promoted)
		k->backoff = min(max(k->backoff, max(pause, 1u)) * 2, BACKOFF_MAX);
	pause = max(pause, min(wait_ms(&k->pass), RATE_LOOK));
	stats_node_add(k->node->nid, NODE_STAT_PASSES, 1);
	cost = cputime_ns() - start;
	stats_node_add(k->node->nid, NODE_STAT_KMIGRATED_CPU_NS, cost);
	return max(max(pause, k->backoff), budget_pass(cost, k->pass.budget));
}

static int kmigrated(void *arg)
{
	struct kmigrated *k = arg;
	wait_queue_head_t *wait = &k->node->wait;
	unsigned int pause = READ_ONCE(pghot_kmigrated_sleep_ms);
	bool again = false;

	/* Its workers run ahead of others, and live on what it finds. */
	set_user_nice(current, MIN_NICE);
	set_freezable();
	while (!kthread_should_stop()) {
		wait_event_freezable(*wait, again || atomic_read(&k->node->pending) ||
				     kthread_should_stop());
		/* Let ready pages gather: a batch costs less than its pages would. */
		wait_event_freezable_timeout(*wait, kthread_should_stop(),
					     msecs_to_jiffies(pause));
		if (!kthread_should_stop())
			pause = pass(k, &again);
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
 * Process context, sleeps. A pass on its way looks at no more records and promotes what it
 * has taken; no folio stays isolated.
 */
void kmigrated_stop(struct kmigrated *k)
{
	kthread_stop(k->thread);
	promoter_exit(&k->promoter);
	kmigrated_free(k);
}
