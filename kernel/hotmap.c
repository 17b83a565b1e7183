// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/memory_hotplug.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "hotmap.h"
#include "target.h"

struct hot_node *hot_nodes[MAX_NUMNODES];
nodemask_t pghot_slow_nodes;

/**
 * hotmap_find() - find the record of a page
 * @pfn: the page; for a large folio its head
 * @nid: node of the page
 * @slot: filled in on success
 *
 * Any context. The caller is in an RCU read-side section, or is kmigrated.
 *
 * Return: false if pghot keeps no record for this page.
 */
bool hotmap_find(unsigned long pfn, int nid, struct hot_slot *slot)
{
	struct hot_node *node = READ_ONCE(hot_nodes[nid]);
	unsigned long nr;

	if (!node)
		return false;
	nr = pfn_to_section_nr(pfn) - node->first;
	if (nr >= node->nr || !node->sections[nr])
		return false;

	slot->node = node;
	slot->section = node->sections[nr];
	slot->nr = nr;
	slot->index = pfn % PAGES_PER_SECTION;
	return true;
}

/**
 * hotmap_mark_ready() - tell kmigrated that a record is ready
 * @slot: the record, already written
 *
 * Any context. Wakes kmigrated if it sleeps, through an irq_work, as the caller
 * may hold any lock.
 */
void hotmap_mark_ready(const struct hot_slot *slot)
{
	unsigned int line = slot->index / PGHOT_LINE;
	struct hot_node *node = slot->node;

	/*
	 * Record, line, section, pending: kmigrated clears them in the opposite
	 * order, with a full barrier after each, before it reads the next.
	 * The record was written by a cmpxchg, itself a full barrier.
	 */
	if (!test_bit(line, slot->section->ready)) {
		set_bit(line, slot->section->ready);
		smp_mb__after_atomic();	/* line before section */
	}
	if (!test_bit(slot->nr, node->ready)) {
		set_bit(slot->nr, node->ready);
		smp_mb__after_atomic();	/* section before pending */
	}
	if (!atomic_read(&node->pending) && !atomic_xchg(&node->pending, 1))
		irq_work_queue(&node->wake);
}

/*
 * Recorders may age one line at the same time: each only clears records that it
 * read as expired, so at worst a record written meanwhile is lost, and none is made
 * to look fresh.
 */
static void age_line(struct hot_section *section, unsigned int line, u32 aged, u32 now)
{
	u8 *rec = section->rec + line * PGHOT_LINE;
	unsigned int i, j;

	for (i = 0; i < PGHOT_LINE; i += sizeof(u64)) {
		if (!READ_ONCE(*(u64 *)(rec + i)))
			continue;
		for (j = i; j < i + sizeof(u64); j++) {
			u8 old = READ_ONCE(rec[j]);

			if (old && pghot_rec_expired(old, aged, now))
				cmpxchg(&rec[j], old, 0);
		}
	}
	/* The records first: a reader of the new time trusts them. */
	smp_store_release(&section->aged[line], now);
}

/**
 * hotmap_line_exact() - see to it that the records of a line can be read as they are
 * @section: the section
 * @line: number of the line in it
 * @now: full time, buckets
 *
 * Any context. Forgets what the line holds from outside the longest window.
 *
 * Return: @now, or the time the line was aged at, if that is later.
 */
u32 hotmap_line_exact(struct hot_section *section, unsigned int line, u32 now)
{
	/* Pairs with age_line(). */
	u32 aged = smp_load_acquire(&section->aged[line]);

	if ((s32)(now - aged) < 0)
		return aged;
	if (!pghot_line_exact(aged, now))
		age_line(section, line, aged, now);
	return now;
}

static void hot_node_free(struct hot_node *node)
{
	unsigned long nr;

	for (nr = 0; node->sections && nr < node->nr; nr++)
		vfree(node->sections[nr]);
	kvfree(node->sections);
	bitmap_free(node->ready);
	kfree(node);
}

static void hot_node_wake(struct irq_work *work)
{
	wake_up(&container_of(work, struct hot_node, wake)->wait);
}

/* Records live on the nearest fast node: they are used far more than they are large. */
static int hot_node_fill(struct hot_node *node, int home)
{
	unsigned long nr, line, pfn;

	for (nr = 0; nr < node->nr; nr++) {
		struct hot_section *section;

		pfn = section_nr_to_pfn(node->first + nr);
		if (!pfn_to_online_page(pfn))
			continue;
		section = vzalloc_node(sizeof(*section), home);
		if (!section)
			return -ENOMEM;
		for (line = 0; line < HOT_LINES; line++)
			section->accessor[line] = NUMA_NO_NODE;
		node->sections[nr] = section;
	}
	return 0;
}

static struct hot_node *hot_node_alloc(int nid)
{
	unsigned long start = node_start_pfn(nid), end = node_end_pfn(nid);
	int home = target_nearest(nid);
	struct hot_node *node;

	node = kzalloc_node(sizeof(*node), GFP_KERNEL, home);
	if (!node)
		return NULL;
	node->nid = nid;
	node->first = pfn_to_section_nr(start);
	node->nr = pfn_to_section_nr(end - 1) - node->first + 1;
	init_waitqueue_head(&node->wait);
	init_irq_work(&node->wake, hot_node_wake);

	node->sections = kvcalloc_node(node->nr, sizeof(*node->sections), GFP_KERNEL, home);
	node->ready = bitmap_zalloc_node(node->nr, GFP_KERNEL, home);
	if (!node->sections || !node->ready || hot_node_fill(node, home)) {
		hot_node_free(node);
		return NULL;
	}
	return node;
}

/**
 * hotmap_init() - make the records of the slow nodes
 * @slow: the slow nodes, each with memory
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int hotmap_init(const nodemask_t *slow)
{
	int nid;

	for_each_node_mask(nid, *slow) {
		struct hot_node *node = hot_node_alloc(nid);

		if (!node) {
			hotmap_exit();
			return -ENOMEM;
		}
		WRITE_ONCE(hot_nodes[nid], node);
		node_set(nid, pghot_slow_nodes);
	}
	return 0;
}

/**
 * hotmap_exit() - free all records
 *
 * Process context, sleeps. The sources are off and kmigrated has ended; waits
 * for recorders that are still on their way.
 */
void hotmap_exit(void)
{
	struct hot_node *node;
	int nid;

	nodes_clear(pghot_slow_nodes);
	for (nid = 0; nid < MAX_NUMNODES; nid++) {
		node = hot_nodes[nid];
		if (!node)
			continue;
		WRITE_ONCE(hot_nodes[nid], NULL);
		synchronize_rcu();
		irq_work_sync(&node->wake);
		hot_node_free(node);
	}
}
