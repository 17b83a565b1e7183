// SPDX-License-Identifier: GPL-2.0
/*
 * One thread for each slow node. It looks at the records that are ready, has each page judged
 * (judge.c), and workers promote those that were taken (promoter.c).
 *
 * A record that it leaves ready waits. It looks at waiting records only when there may be
 * room or budget for them, goes on where it stopped the last time, and ends a look that
 * cannot promote anything. So what a pass costs depends on what it promotes and on what
 * has just become ready, not on how much waits.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "core/hotscan.h"
#include "core/nodestat.h"
#include "core/tunable.h"
#include "pghot.h"
#include "promote/budget.h"
#include "promote/judge.h"
#include "promote/kmigrated.h"
#include "testing/inject.h"
#include "wrapper/cputime.h"

PGHOT_TUNABLE(kmigrated_sleep_ms,
	      "How long ready pages gather before kmigrated promotes them, 0 to 1000 ms. (4)",
	      .doors = TUNABLE_DEBUGFS,
	      .min = 0,
	      .max = BOTH_MODES(1000),
	      .initial = BOTH_MODES(4));

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
 * @vain: what was spent on records that were left waiting, in units of VAIN_MAX
 * @promoted: base pages that it promoted
 * @left: ready records are left
 */
struct pass {
	enum hot_queue queue;
	unsigned int vain;
	unsigned int promoted;
	bool left;
};

/**
 * struct kmigrated - the thread of a slow node
 * @node: the node
 * @thread: the thread
 * @judge: what its pages are judged by
 * @pass: the current pass, or the last one
 * @backoff: pause after the last pass, if it left ready records and promoted nothing, ms
 */
struct kmigrated {
	struct hot_node *node;
	struct task_struct *thread;
	struct judge judge;
	struct pass pass;
	unsigned int backoff;
};

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
static bool pass_is_over(const struct kmigrated *k)
{
	if (k->judge.findings.no_room || kthread_should_stop() || freezing(current))
		return true;
	/* Records that have just become ready are all looked at, if only to count them. */
	if (k->pass.queue == HOT_FRESH)
		return false;
	return k->pass.vain >= VAIN_MAX || pghot_judge_all_rates_are_spent(&k->judge);
}

/*
 * Does to the record what was decided. Returns whether that is how it stays: if the page was
 * used again meanwhile, the record has changed, and what it says now counts.
 */
static bool settle(const struct rec_format *f, struct hot_section *section, unsigned int index,
		   u32 rec, enum fate fate)
{
	switch (fate) {
	case FATE_WAIT:
		return true;
	case FATE_WAIT_COUNTED:
		return hotmap_change(f, section, index, &rec, rec_count(f, rec));
	case FATE_COOL:
		return hotmap_change(f, section, index, &rec, rec_cool(f, rec));
	case FATE_TAKEN:
		while (rec && !hotmap_change(f, section, index, &rec, 0))
			;
		return true;
	case FATE_DROP:
	default:
		return hotmap_change(f, section, index, &rec, 0);
	}
}

static bool waits(enum fate fate)
{
	return fate == FATE_WAIT || fate == FATE_WAIT_COUNTED;
}

static unsigned int age_ms(const struct rec_format *f, u32 rec, u32 ref, u64 now)
{
	u32 idle = rec_idle(f, rec, ref);

	idle -= min(idle, ref - (u32)now);
	return ((u64)idle << f->bucket_shift) / NSEC_PER_MSEC;
}

static enum hotscan_verdict visit(void *arg, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	struct kmigrated *k = arg;
	struct candidate c = { .pfn = section_nr_to_pfn(section->nr) + index };
	/* For each record anew: promotion sleeps. */
	u64 now = rec_bucket(f, pghot_clock());
	enum fate fate;
	u32 ref, rec;

	if (pass_is_over(k))
		return HOTSCAN_STOP;
	ref = hotmap_line_ref(f, section, index / REC_LINE, now);
	rec = hotmap_rec(f, section, index);
	if (!rec_ready(f, rec))
		return HOTSCAN_DONE;
	c.counted = rec_counted(f, rec);
	/* It shares a line with one that has just become ready, and waits. */
	if (c.counted && k->pass.queue == HOT_FRESH)
		return HOTSCAN_KEPT;
	c.age_ms = age_ms(f, rec, ref, now);
	read_accessor(f, section, index, rec, &c);
	if (c.counted && pghot_judge_rate_is_spent(&k->judge, &c)) {
		k->pass.vain++;
		return HOTSCAN_KEPT;
	}

	fate = pghot_judge_page(&k->judge, &c);
	if (waits(fate))
		k->pass.vain += VAIN_LOOK;
	if (!settle(f, section, index, rec, fate) || waits(fate))
		return HOTSCAN_KEPT;
	return HOTSCAN_DONE;
}

/* Looks at what is ready, and has it promoted. */
static void look(struct kmigrated *k)
{
	struct pass *pass = &k->pass;

	atomic_xchg(&k->node->pending, 0);
	pass->vain = 0;
	pghot_judge_begin(&k->judge);
	/* Those that wait for room are first, or the fresh ones would always take it. */
	if (nodes_empty(k->judge.findings.spent)) {
		pass->queue = HOT_WAITING;
		hotscan(rec_format(), k->node, HOT_WAITING, visit, k);
	}
	pass->queue = HOT_FRESH;
	if (!k->judge.findings.no_room)
		hotscan(rec_format(), k->node, HOT_FRESH, visit, k);
	pass->promoted = pghot_promoter_finish(&k->judge.promoter);
	pass->left = hotscan_any(k->node, HOT_WAITING) || hotscan_any(k->node, HOT_FRESH);
}

/* How much later than usual the next pass is to come, by what this one promoted, ms. */
static unsigned int back_off(const struct kmigrated *k, unsigned int gather)
{
	const struct findings *findings = &k->judge.findings;
	bool waits_for_rate = !findings->no_room && pghot_judge_rate_wait_ms(&k->judge);

	/* Nothing to come for, or it is known when there will be. */
	if (!k->pass.left || findings->over_budget || waits_for_rate)
		return 0;
	if (k->pass.promoted >= WORTH_IT)
		return k->backoff / 2;
	if (!k->pass.promoted)
		return min(max3(k->backoff, gather, 1u) * 2, BACKOFF_MAX);
	return k->backoff;
}

/* Returns how long to let ready pages gather before the next pass, ms. */
static unsigned int pass(struct kmigrated *k)
{
	unsigned int gather = pghot_tunable_get(&pghot_kmigrated_sleep_ms), pause;
	u64 start = pghot_cputime_ns(), cost;

	look(k);
	k->backoff = back_off(k, gather);
	pause = max3(gather, min(pghot_judge_rate_wait_ms(&k->judge), RATE_LOOK), k->backoff);
	pghot_nodestat_add(k->node->nid, NODE_STAT_PASSES, 1);
	cost = pghot_cputime_ns() - start;
	pghot_nodestat_add(k->node->nid, NODE_STAT_KMIGRATED_CPU_NS, cost);
	return max(pause, pghot_budget_pass(cost, k->judge.findings.over_budget));
}

static int kmigrated(void *arg)
{
	struct kmigrated *k = arg;
	wait_queue_head_t *wait = &k->node->wait;
	unsigned int pause = pghot_tunable_get(&pghot_kmigrated_sleep_ms);

	/* Its workers run ahead of others, and live on what it finds. */
	set_user_nice(current, MIN_NICE);
	set_freezable();
	while (!kthread_should_stop()) {
		wait_event_freezable(*wait, k->pass.left || atomic_read(&k->node->pending) ||
				     kthread_should_stop());
		/* Let ready pages gather: a batch costs less than its pages would. */
		wait_event_freezable_timeout(*wait, kthread_should_stop(),
					     msecs_to_jiffies(pause));
		if (!kthread_should_stop())
			pause = pass(k);
	}
	return 0;
}

/**
 * pghot_kmigrated_start() - start the thread of a slow node
 * @node: the node, with or without records as yet
 *
 * Process context, sleeps. It may run on any CPU, ahead of others; taskset -p and
 * renice change that.
 *
 * Return: for pghot_kmigrated_stop(), or an ERR_PTR() with nothing left behind.
 */
struct kmigrated *pghot_kmigrated_start(struct hot_node *node)
{
	struct kmigrated *k = inject_alloc(NULL, kzalloc(sizeof(*k), GFP_KERNEL));
	int ret;

	if (!k)
		return ERR_PTR(-ENOMEM);
	k->node = node;
	ret = pghot_judge_init(&k->judge, node->nid);
	if (ret)
		goto no_judge;
	k->thread = inject_alloc(ERR_PTR(-ENOMEM),
				 kthread_run(kmigrated, k, "kmigrated%d", node->nid));
	if (IS_ERR(k->thread)) {
		ret = PTR_ERR(k->thread);
		goto no_thread;
	}
	return k;

no_thread:
	pghot_judge_exit(&k->judge);
no_judge:
	kfree(k);
	return ERR_PTR(ret);
}

/**
 * pghot_kmigrated_stop() - end a thread
 * @k: the thread
 *
 * Process context, sleeps. A pass on its way looks at no more records and promotes what it
 * has taken; no folio stays isolated.
 */
void pghot_kmigrated_stop(struct kmigrated *k)
{
	kthread_stop(k->thread);
	pghot_judge_exit(&k->judge);
	kfree(k);
}
