// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The thread of a slow node
 *
 * Each slow node has a thread. On a large machine each of its parts has one. It looks at the
 * records that are ready and has each page judged (judge.c). Workers promote the pages that were
 * taken (promoter.c).
 *
 * A record that the thread leaves ready waits. The thread looks at waiting records only when there
 * may be room or budget for them. It goes on where it stopped the last time, and it ends a pass
 * that cannot promote anything. So the cost of a pass depends on what it promotes and on what has
 * just become ready, but not on how much waits.
 */
#include <linux/bug.h>
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "core/hotscan.h"
#include "core/nodestat.h"
#include "core/tunable.h"
#include "pghot.h"
#include "promote/budget.h"
#include "promote/judge.h"
#include "promote/kmigrated.h"
#include "promote/room.h"
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
 * Longest pause while the rate is used up, ms. Pages become ready meanwhile, and the throttle
 * judges them by their age. The pause makes them older by less than half a unit of the hot
 * threshold, so it hardly changes the verdict. If they were seen a second later, few would be hot
 * enough, and the threshold would be tuned to these few.
 */
#define RATE_LOOK	50u

/*
 * What one pass may spend on records that it does not promote, by queue, ns. The next pass goes
 * on with the records after them. Those that have just become ready are to be counted soon, and
 * each is there only once.
 */
#define VAIN_WAITING	(2500 * NSEC_PER_USEC)
#define VAIN_FRESH	(20 * NSEC_PER_MSEC)

/*
 * What that takes, ns: to see that a record's target has no budget, and to look at a page, at
 * least. Of so many looks one is timed. A page that is mapped so often that it takes longer than
 * others says so itself.
 */
#define COST_SPENT	20ull
#define COST_LOOK	160ull
#define LOOKS_TIMED	64u
/* Of a timed look and the mean before, one of so many parts; it counts as so many means at most. */
#define LOOK_PARTS	4
#define LOOK_OUTLIER	8

/* Base pages that a pass has to promote if the next one is to come sooner. */
#define WORTH_IT	32u

/**
 * struct pass - one look at what is ready
 * @queue: the records that are being looked at
 * @vain: what was spent in this queue on records that were not promoted, ns
 * @resume: the page at which the last look at this queue was stopped; those before it in its
 *	line were looked at
 * @promoted: base pages that it promoted
 * @left: ready records are left
 * @cut: some of them have just become ready, and were not looked at for lack of time
 */
struct pass {
	enum hot_queue queue;
	u64 vain;
	unsigned long resume;
	unsigned int promoted;
	bool left;
	bool cut;
};

/**
 * struct kmigrated - the thread of a slow node
 * @node: the node, or the part of it
 * @thread: the thread
 * @judge: what its pages are judged by
 * @pass: the current pass, or the last one
 * @stopped: by queue, the page at which the last look at it was stopped, or 0
 * @looks: how many pages it has looked at
 * @look_ns: what a look takes, mean of those that were timed
 * @unfinished: the last look at waiting records has not seen all of them
 * @waiter: has it woken when there is room
 * @room: how often room had been made before the last pass
 * @backoff: pause after the last pass, if it left ready records and promoted nothing, ms
 */
struct kmigrated {
	struct hot_node *node;
	struct task_struct *thread;
	struct judge judge;
	struct pass pass;
	unsigned long stopped[HOT_QUEUES];
	unsigned int looks;
	u64 look_ns;
	bool unfinished;
	struct room_waiter waiter;
	unsigned int room;
	unsigned int backoff;
};

/* Are there no more pages that this pass may promote? */
static bool pass_is_over(const struct kmigrated *k)
{
	if (k->judge.findings.no_room || kthread_should_stop() || freezing(current))
		return true;
	/* Memory goes or comes, with the kernel's hotplug locks held. */
	if (rwsem_is_contended(&k->node->sections))
		return true;
	/* Records that have just become ready are looked at, if only to count them. */
	if (k->pass.queue == HOT_FRESH)
		return k->pass.vain >= VAIN_FRESH;
	return k->pass.vain >= VAIN_WAITING || pghot_judge_all_rates_are_spent(&k->judge);
}

/* The page of this record was taken. Accesses that are recorded meanwhile do not matter. */
static void clear(const struct rec_format *f, struct hot_section *section, unsigned int index,
		  u32 rec)
{
	while (rec && !hotmap_change(f, section, index, &rec, 0))
		;
}

/*
 * Does to the record what was decided. Returns false if the page was used again meanwhile, which
 * has changed the record: it stays so.
 */
static bool settle(const struct rec_format *f, struct hot_section *section, unsigned int index,
		   u32 rec, enum fate fate)
{
	switch (fate) {
	case FATE_OPEN:
		WARN_ON_ONCE(1);
		fallthrough;
	case FATE_DROP:
		return hotmap_change(f, section, index, &rec, 0);
	case FATE_COOL:
		return hotmap_change(f, section, index, &rec, rec_cool(f, rec));
	case FATE_WAIT:
		break;
	case FATE_WAIT_COUNTED:
		return hotmap_change(f, section, index, &rec, rec_count(f, rec));
	case FATE_TAKEN:
		clear(f, section, index, rec);
		break;
	}
	return true;
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

/* Looks at a page. One that is taken may sleep, and is not in vain. */
static enum fate look_at_page(struct kmigrated *k, struct candidate *c)
{
	bool timed = k->looks++ % LOOKS_TIMED == 0;
	u64 cost = timed ? pghot_cputime_ns() : 0;
	enum fate fate = pghot_judge_page(&k->judge, c);

	k->pass.vain += c->look_ns;
	if (fate == FATE_TAKEN)
		return fate;
	k->pass.vain += k->look_ns;
	if (timed) {
		cost = pghot_cputime_ns() - cost;
		cost = min(cost - min(cost, c->look_ns), k->look_ns * LOOK_OUTLIER);
		k->look_ns = max((k->look_ns * (LOOK_PARTS - 1) + cost) / LOOK_PARTS, COST_LOOK);
	}
	return fate;
}

static enum hotscan_verdict visit(void *arg, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();
	struct kmigrated *k = arg;
	struct candidate c = { .pfn = section_nr_to_pfn(section->nr) + index };
	/* The time is read for each record, because promotion sleeps in between. */
	u64 now = rec_bucket(f, pghot_clock());
	struct hot_user user;
	enum fate fate;
	u32 ref, rec;

	if (pass_is_over(k)) {
		k->stopped[k->pass.queue] = c.pfn;
		return HOTSCAN_STOP;
	}
	if (c.pfn < k->pass.resume && c.pfn / REC_LINE == k->pass.resume / REC_LINE)
		return HOTSCAN_KEPT;
	ref = hotmap_line_ref(f, section, index / REC_LINE, now);
	rec = hotmap_rec(f, section, index);
	if (!rec_ready(f, rec))
		return HOTSCAN_DONE;
	c.counted = rec_counted(f, rec);
	/* It shares a line with one that has just become ready, and waits. */
	if (c.counted && k->pass.queue == HOT_FRESH)
		return HOTSCAN_KEPT;
	c.age_ms = age_ms(f, rec, ref, now);
	user = hotmap_user(f, section, index, rec);
	c.accessor = user.nid;
	c.shared = user.shared;
	if (c.counted && pghot_judge_rate_is_spent(&k->judge, &c)) {
		k->pass.vain += COST_SPENT;
		return HOTSCAN_KEPT;
	}

	fate = look_at_page(k, &c);
	if (!settle(f, section, index, rec, fate) || waits(fate))
		return HOTSCAN_KEPT;
	return HOTSCAN_DONE;
}

/*
 * Is it worth looking at what waits? While targets are without rate, only if a look has ended
 * before it came to the pages of the others.
 */
static bool look_at_waiting(const struct kmigrated *k)
{
	if (nodes_empty(k->judge.findings.spent))
		return true;
	return k->unfinished && !pghot_judge_all_rates_are_spent(&k->judge);
}

/* Returns true if the look was stopped before all of the queue was seen. */
static noinline bool look_at(struct kmigrated *k, enum hot_queue queue)
{
	k->pass.queue = queue;
	k->pass.vain = 0;
	k->pass.resume = k->stopped[queue];
	k->stopped[queue] = 0;
	return hotscan(rec_format(), k->node, queue, visit, k);
}

/* Looks at what is ready, and has it promoted. */
static void look(struct kmigrated *k)
{
	struct pass *pass = &k->pass;

	atomic_xchg(&k->node->pending, 0);
	pass->cut = false;
	pghot_judge_begin(&k->judge);
	/* Waiting records come first. Otherwise fresh ones would always take the room. */
	if (look_at_waiting(k))
		k->unfinished = look_at(k, HOT_WAITING);
	if (!k->judge.findings.no_room)
		pass->cut = look_at(k, HOT_FRESH) && !k->judge.findings.no_room;
	pass->promoted = pghot_promoter_finish(&k->judge.promoter);
	pass->left = hotscan_any(k->node, HOT_WAITING) || hotscan_any(k->node, HOT_FRESH);
}

/* How much later than usual the next pass is to come, by what this one promoted, ms. */
static unsigned int back_off(const struct kmigrated *k, unsigned int gather)
{
	const struct findings *findings = &k->judge.findings;
	bool waits_for_rate = !findings->no_room && pghot_judge_rate_wait_ms(&k->judge);

	/* There is nothing to come for, or it is known when there will be. */
	if (!k->pass.left || findings->over_budget || waits_for_rate)
		return 0;
	if (k->pass.cut)
		return k->backoff;
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

	k->room = pghot_room_made();
	look(k);
	k->backoff = back_off(k, gather);
	pause = gather;
	if (!k->pass.cut)
		pause = max3(gather, min(pghot_judge_rate_wait_ms(&k->judge), RATE_LOOK),
			     k->backoff);
	pghot_nodestat_add(k->node->nid, NODE_STAT_PASSES, 1);
	cost = pghot_cputime_ns() - start;
	pghot_nodestat_add(k->node->nid, NODE_STAT_KMIGRATED_CPU_NS, cost);
	pghot_nodestat_add(k->node->nid, NODE_STAT_PASSES_CPU_NS, cost);
	return max(pause, pghot_budget_pass(cost, k->judge.findings.charged,
					    k->judge.findings.over_budget));
}

/* Did the last pass leave records, and was room made since it began? */
static bool has_room_now(const struct kmigrated *k)
{
	return k->pass.left && k->room != pghot_room_made();
}

static int kmigrated(void *arg)
{
	struct kmigrated *k = arg;
	wait_queue_head_t *wait = &k->node->wait;
	unsigned int pause = pghot_tunable_get(&pghot_kmigrated_sleep_ms);

	/* Its workers run ahead of others, and have work only if this thread finds some. */
	set_user_nice(current, MIN_NICE);
	set_freezable();
	while (!kthread_should_stop()) {
		wait_event_freezable(*wait, k->pass.left || atomic_read(&k->node->pending) ||
				     kthread_should_stop());
		/* Let ready pages gather: a batch costs less than its pages would. */
		wait_event_freezable_timeout(*wait, kthread_should_stop() || has_room_now(k),
					     msecs_to_jiffies(pause));
		if (!kthread_should_stop())
			pause = pass(k);
	}
	return 0;
}

/**
 * pghot_kmigrated_start() - start the thread of a slow node
 * @node: the node or its part, with or without records as yet
 *
 * Process context, sleeps. It may run on any CPU, ahead of others; taskset -p and
 * renice change that.
 *
 * Return: for pghot_kmigrated_stop(), or an ERR_PTR() with nothing left behind.
 */
struct kmigrated *pghot_kmigrated_start(struct hot_node *node)
{
	struct kmigrated *k = inject_alloc(NULL, kzalloc(sizeof(*k), GFP_KERNEL));
	char part[8] = "";
	int ret;

	if (!k)
		return ERR_PTR(-ENOMEM);
	k->node = node;
	k->look_ns = COST_LOOK;
	ret = pghot_judge_init(&k->judge, node->nid);
	if (ret)
		goto no_judge;
	k->waiter.wait = &node->wait;
	pghot_room_watch(&k->waiter);
	if (pghot_hot_parts > 1)
		snprintf(part, sizeof(part), ":%u", node->part);
	k->thread = inject_alloc(ERR_PTR(-ENOMEM),
				 kthread_run(kmigrated, k, "kmigrated%d%s", node->nid, part));
	if (IS_ERR(k->thread)) {
		ret = PTR_ERR(k->thread);
		goto no_thread;
	}
	return k;

no_thread:
	pghot_room_unwatch(&k->waiter);
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
	pghot_room_unwatch(&k->waiter);
	pghot_judge_exit(&k->judge);
	kfree(k);
}
