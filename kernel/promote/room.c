// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Making room on fast nodes
 *
 * Demotes idle pages of a fast node, so that hot ones find room there.
 *
 * Who finds no room says so, and who takes some of it. Workers demote what a source has found idle
 * (core/cold.c), in batches, and wake kmigrated. They are as many as promote, or the hot pages
 * would wait for them. So room is made at the pace of promotion, and a little ahead of it. The
 * policy is told how much of it others take (promote/roomuse.h). Nothing is swapped: a page that
 * finds no place on the slow node stays.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/cold.h"
#include "core/hotmap.h"
#include "core/nodestat.h"
#include "core/slow.h"
#include "core/wait.h"
#include "policy/policy.h"
#include "promote/budget.h"
#include "promote/promoter.h"
#include "promote/room.h"
#include "promote/roomuse.h"
#include "promote/trace.h"
#include "testing/inject.h"
#include "wrapper/allowed.h"
#include "wrapper/cputime.h"
#include "wrapper/folio.h"
#include "wrapper/foliolist.h"
#include "wrapper/memcg.h"
#include "wrapper/placement.h"
#include "wrapper/used.h"

/* No more is made at a time than this for each kmigrated of a slow node, base pages. */
#define ROOM_AHEAD	((int)ROOM_ASK_MAX)
/* Nothing is made before so much was taken, and a worker is for so much. */
#define ROOM_STEP	256
/* Base pages in a batch. */
#define ROOM_BATCH	256
/* Workers of a node at most, for each kmigrated of a slow node. */
#define ROOM_WORKERS	4
/* How often it is tried again while no page is known to be idle, and the pause. */
#define ROOM_TRIES	20u
#define ROOM_PAUSE	msecs_to_jiffies(20)

struct room;

/**
 * struct room_worker - one of those that make room
 * @work: makes it
 * @room: what is asked for
 */
struct room_worker {
	struct delayed_work work;
	struct room *room;
};

/**
 * struct room - what is asked for on a fast node, for small folios or for huge ones
 * @worker: nr_workers make it; the first one waits for idle pages if there are none
 * @nid: the node
 * @huge: a huge page needs a block that is free as a whole: huge pages are demoted for it
 * @wanted: base pages that are still to be made free, and that no worker has in hand
 * @tries: how often it has found no idle page since somebody asked
 */
struct room {
	struct room_worker *worker;
	int nid;
	bool huge;
	atomic_t wanted;
	unsigned int tries;
};

/**
 * struct node_rooms - what is asked for on a fast node
 * @room: by whether for huge folios
 * @in_hand: what workers are demoting, base pages
 * @use: who uses what is made
 * @lock: of @use
 */
struct node_rooms {
	struct room room[2];
	atomic_t in_hand;
	struct room_use use;
	spinlock_t lock; /* of use */
};

static struct node_rooms *nodes; /* by node id */
static unsigned int nr_workers; /* of each of them */
static atomic_t made;

static DEFINE_SPINLOCK(waiters_lock);
static LIST_HEAD(waiters);

/*
 * Has it been idle since it was found to be? For hot huge pages it need not have been: most are
 * used again before long, as they are large, and are idle only beside hot ones. It is looked at for
 * another window then.
 */
static bool is_idle(struct folio *folio, bool for_huge)
{
	if (!pghot_folio_was_used(folio, for_huge))
		return true;
	if (!for_huge)
		return false;
	pghot_wait(pghot_policy_window_us(POLICY_HUGE));
	return !pghot_folio_was_used(folio, false);
}

/*
 * Is it still what was found idle, and has it been idle since, and may it go to that node? It is
 * referenced. Of a large folio that is mapped by the page only one page was found idle, and of one
 * that several processes map only one knows it to be idle, so that these stay.
 */
static bool may_demote(struct folio *folio, bool huge, const struct room *room, int target)
{
	struct allowed allowed;

	return folio_nr_pages(folio) == (huge ? HPAGE_PMD_NR : 1) &&
	       !pghot_folio_maybe_shared(folio) && pghot_folio_nid(folio) == room->nid &&
	       folio_test_lru(folio) && !folio_test_unevictable(folio) &&
	       !pghot_promoter_is_dirty(folio) && !pghot_folio_is_pinned(folio) &&
	       !pghot_allowed_ask(folio, &allowed) && node_isset(target, allowed.nodes) &&
	       is_idle(folio, room->huge);
}

/* Returns base pages of the folio, which was put on the list; 0 if it is not to be demoted. */
static unsigned int take(unsigned long pfn, bool huge, const struct room *room, int target,
			 struct list_head *folios)
{
	struct folio *folio = pghot_folio_get(pfn);
	unsigned int nr = 0;

	if (!folio)
		return 0;
	if (folio_pfn(folio) == pfn && may_demote(folio, huge, room, target) &&
	    pghot_folio_isolate(folio)) {
		pghot_folio_add(folio, folios);
		nr = folio_nr_pages(folio);
	}
	/* Isolated, it is held by the list's reference. */
	folio_put(folio);
	return nr;
}

/* Huge pages make room for small ones where there are no others. */
static bool take_cold(const struct room *room, unsigned long *pfn, bool *huge)
{
	*huge = room->huge || !pghot_cold_pages(room->nid, false);
	return pghot_cold_take(room->nid, *huge, pfn);
}

static bool knows_cold(const struct room *room)
{
	return pghot_cold_pages(room->nid, room->huge) ||
	       (!room->huge && pghot_cold_pages(room->nid, true));
}

/* Returns base pages that were demoted. */
static unsigned int demote_some(const struct room *room, int target, unsigned int wanted)
{
	const struct folio_move move = {
		.nid = target,
		.demotes = true,
		.goes_to = pghot_policy_demoted,
	};
	unsigned int nr = 0, demoted = 0;
	LIST_HEAD(folios);
	LIST_HEAD(failed);
	unsigned long pfn;
	bool huge;

	while (nr < wanted && take_cold(room, &pfn, &huge))
		nr += take(pfn, huge, room, target, &folios);
	if (list_empty(&folios))
		return 0;
	demoted = pghot_folios_migrate(&folios, &move, &failed);
	pghot_folios_putback(&failed);
	if (demoted) {
		pghot_nodestat_add(room->nid, NODE_STAT_DEMOTED, demoted);
		pghot_memcg_count_demoted(room->nid, demoted);
	}
	trace_pghot_demote(room->nid, target, demoted, nr);
	return demoted;
}

static void wake_waiters(void)
{
	struct room_waiter *waiter;

	atomic_inc(&made);
	spin_lock(&waiters_lock);
	list_for_each_entry(waiter, &waiters, list)
		wake_up(waiter->wait);
	spin_unlock(&waiters_lock);
}

/*
 * What kswapd knows better: page cache that nobody has mapped, and is therefore not looked at. But
 * it demotes other pages as well, and not only idle ones: only if swaps pay.
 */
static void ask_kernel(const struct room *room)
{
	if (pghot_policy_swaps() && pghot_placement_cached(room->nid) >= ROOM_AHEAD)
		pghot_placement_make_room(room->nid, 1);
}

/* Takes a part of what is wanted in hand. Returns base pages, 0 if nothing is wanted any more. */
static unsigned int take_in_hand(struct room *room)
{
	int wanted = atomic_read(&room->wanted), part;

	do {
		part = min(wanted, ROOM_BATCH);
		if (part <= 0)
			return 0;
	} while (!atomic_try_cmpxchg(&room->wanted, &wanted, wanted - part));
	return part;
}

static void room_work(struct work_struct *work)
{
	struct room_worker *worker = container_of(to_delayed_work(work), struct room_worker, work);
	struct room *room = worker->room;
	unsigned int demoted = 0, part, some;
	u64 start = pghot_cputime_ns(), cost;
	int target = pghot_slow_target(room->nid);

	if (target == NUMA_NO_NODE) {
		atomic_set(&room->wanted, 0);
		return;
	}
	pghot_policy_moving(room->huge ? POLICY_HUGE : POLICY_SMALL);
	/* Whether swaps pay may be about to be confirmed. */
	while (pghot_policy_swaps() && knows_cold(room)) {
		part = take_in_hand(room);
		if (!part)
			break;
		atomic_add(part, &nodes[room->nid].in_hand);
		some = demote_some(room, target, part);
		atomic_sub(part, &nodes[room->nid].in_hand);
		demoted += some;
		/* A huge page may be more than was wanted. */
		atomic_add((int)part - (int)some, &room->wanted);
		if (some)
			wake_waiters();
		cond_resched();
	}
	cost = pghot_cputime_ns() - start;
	pghot_policy_moved(room->huge ? POLICY_HUGE : POLICY_SMALL, demoted, cost);
	if (demoted) {
		pghot_nodestat_add(room->nid, NODE_STAT_KMIGRATED_CPU_NS, cost);
		pghot_budget_pass(cost, 0, false);
		room->tries = 0;
	}
	if (atomic_read(&room->wanted) <= 0 || worker != room->worker)
		return;
	/* More may be found. */
	if (!demoted && ++room->tries > ROOM_TRIES) {
		room->tries = 0;
		atomic_set(&room->wanted, 0);
		ask_kernel(room);
		return;
	}
	pghot_workers_queue(&worker->work, room->nid, ROOM_PAUSE);
}

/*
 * Has @nr_pages made, base pages, unless @ahead are wanted already by each kmigrated, by @least
 * workers or more.
 */
static void ask(struct room *room, int nr_pages, int ahead, int least)
{
	int i, wanted = atomic_read(&room->wanted);

	if (wanted < ahead * (int)pghot_hot_parts)
		wanted = atomic_add_return(nr_pages, &room->wanted);
	for (i = 0; i < clamp(wanted / ROOM_STEP, least, (int)nr_workers); i++)
		pghot_workers_queue(&room->worker[i].work, room->nid, 0);
}

/* Asks each CPU how much is free. */
static struct room_count count_node(int nid)
{
	return (struct room_count){
		.made = pghot_nodestat_get(nid, NODE_STAT_DEMOTED),
		.used = pghot_nodestat_get(nid, NODE_STAT_RECEIVED),
		.on_way = pghot_promoter_on_way(nid),
		.free = pghot_placement_free_all(nid),
		.in_hand = atomic_read(&nodes[nid].in_hand),
	};
}

/**
 * pghot_room_lacks() - somebody finds no room
 * @nid: fast node, with memory
 * @size: size of the folio, base pages
 *
 * Room is made for it, and for more that will come.
 *
 * Any context but interrupts.
 */
void pghot_room_lacks(int nid, unsigned int size)
{
	struct node_rooms *node = &nodes[nid];
	struct room *room = &node->room[size >= HPAGE_PMD_NR];
	bool asked = atomic_read(&room->wanted) > 0, told = false;
	unsigned int nr_pages;
	long nr_made, nr_taken;

	spin_lock(&node->lock);
	if (room_use_is_due(&node->use, pghot_nodestat_get(nid, NODE_STAT_DEMOTED), asked)) {
		const struct room_count count = count_node(nid);

		told = room_use_look(&node->use, &count, &nr_made, &nr_taken);
	}
	/* A huge page alone is more than a small step. */
	nr_pages = room->huge ? ROOM_ASK_MAX : node->use.ask;
	spin_unlock(&node->lock);
	if (told) {
		pghot_policy_room_made(nr_made, nr_taken);
		pghot_nodestat_add(nid, NODE_STAT_ROOM_TAKEN, max(nr_taken, 0l));
	}
	ask(room, nr_pages, nr_pages, 1);
}

/**
 * pghot_room_taken() - somebody takes room, and others follow
 * @nid: fast node, with memory
 * @size: size of the folio, base pages
 *
 * Any context but interrupts.
 */
void pghot_room_taken(int nid, unsigned int size)
{
	ask(&nodes[nid].room[size >= HPAGE_PMD_NR], size, ROOM_AHEAD, 0);
}

/**
 * pghot_room_made() - how often room was made
 *
 * Any context.
 *
 * Return: a number that is another one after room was made; it wraps.
 */
unsigned int pghot_room_made(void)
{
	return atomic_read(&made);
}

/**
 * pghot_room_watch() - have somebody woken when room was made
 * @waiter: who, with @wait set
 *
 * Process context.
 */
void pghot_room_watch(struct room_waiter *waiter)
{
	spin_lock(&waiters_lock);
	list_add(&waiter->list, &waiters);
	spin_unlock(&waiters_lock);
}

/**
 * pghot_room_unwatch() - end that
 * @waiter: who
 *
 * Process context.
 */
void pghot_room_unwatch(struct room_waiter *waiter)
{
	spin_lock(&waiters_lock);
	list_del(&waiter->list);
	spin_unlock(&waiters_lock);
}

/**
 * pghot_room_init() - get ready to make room
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_room_init(void)
{
	struct room_worker *worker;
	unsigned int i;
	int nid, huge;

	nr_workers = ROOM_WORKERS * pghot_hot_parts;
	nodes = inject_alloc(NULL, kcalloc(nr_node_ids, sizeof(*nodes), GFP_KERNEL));
	if (!nodes)
		return -ENOMEM;
	/* One array for all, which begins with those of the first room. */
	worker = inject_alloc(NULL, kvcalloc(nr_node_ids * ARRAY_SIZE(nodes->room) * nr_workers,
					     sizeof(*worker), GFP_KERNEL));
	if (!worker) {
		kfree(nodes);
		return -ENOMEM;
	}
	for (nid = 0; nid < nr_node_ids; nid++) {
		room_use_init(&nodes[nid].use);
		spin_lock_init(&nodes[nid].lock);
		for (huge = 0; huge < 2; huge++) {
			struct room *room = &nodes[nid].room[huge];

			room->nid = nid;
			room->huge = huge;
			room->worker = worker;
			for (i = 0; i < nr_workers; i++, worker++) {
				INIT_DELAYED_WORK(&worker->work, room_work);
				worker->room = room;
			}
		}
	}
	return 0;
}

/**
 * pghot_room_exit() - make no more room
 *
 * Process context, sleeps. Nobody asks any more, and the workers are still there.
 */
void pghot_room_exit(void)
{
	unsigned int i, nr = nr_node_ids * ARRAY_SIZE(nodes->room) * nr_workers;

	for (i = 0; i < nr; i++)
		cancel_delayed_work_sync(&nodes->room[0].worker[i].work);
	kvfree(nodes->room[0].worker);
	kfree(nodes);
}
