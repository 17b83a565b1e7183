// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "hotmap.h"
#include "inject.h"
#include "pghot.h"
#include "stats.h"

DEFINE_STATIC_KEY_FALSE(pghot_precise);

struct hot_block **hot_blocks;
unsigned long hot_nr_blocks;

static_assert(MAX_NUMNODES <= ACCESSOR_SHARED);
static_assert(MAX_NUMNODES <= 1024);

/**
 * hotmap_mark_ready() - tell kmigrated that a line holds a ready record
 * @section: the section
 * @line: number of the line in it; the record was written by a cmpxchg
 *
 * Any context, NMI included. Wakes kmigrated if it sleeps, through an irq_work, as
 * the caller may hold any lock.
 */
void hotmap_mark_ready(struct hot_section *section, unsigned int line)
{
	unsigned long *ready = section->block->ready;
	struct hot_node *node = section->node;
	unsigned long nr = section->nr % HOT_BLOCK;

	/*
	 * Record, line, section, pending: kmigrated clears them in the opposite
	 * order, with a full barrier after each, before it reads the next.
	 * The record's cmpxchg is itself a full barrier.
	 */
	if (!test_bit(line, section->ready)) {
		set_bit(line, section->ready);
		smp_mb__after_atomic();	/* line before section */
	}
	if (!test_bit(nr, ready)) {
		set_bit(nr, ready);
		smp_mb__after_atomic();	/* section before pending */
	}
	if (!atomic_read(&node->pending) && !atomic_xchg(&node->pending, 1))
		irq_work_queue(&node->wake);
}

/**
 * hotmap_age_line() - forget what a line holds from too long ago
 * @section: the section
 * @line: number of the line in it
 * @aged: when it was last aged
 * @now: when it is aged now, both in its units
 *
 * Any context, NMI included. Recorders may age one line at the same time: each only
 * clears records that it read as expired, so at worst a record written meanwhile is
 * lost, and none is made to look fresh.
 */
void hotmap_age_line(struct hot_section *section, unsigned int line, u32 aged, u32 now)
{
	const struct rec_format *f = rec_format();
	unsigned int index = line * REC_LINE, end = index + REC_LINE, i;
	bool empty = true;

	for (; index < end; index += sizeof(u64) / f->bytes) {
		if (!hotmap_word(f, section, index))
			continue;
		for (i = index; i < index + sizeof(u64) / f->bytes; i++) {
			u32 rec = hotmap_rec(f, section, i);

			if (!rec)
				continue;
			if (!rec_expired(f, rec, aged, now))
				empty = false;
			else if (hotmap_change(f, section, i, &rec, 0) && rec_ready(f, rec))
				stats_node_add(section->node->nid, NODE_STAT_EXPIRED, 1);
		}
	}
	if (!f->nid_mask) {
		s16 accessor = READ_ONCE(section->accessor[line]);

		if (empty)
			WRITE_ONCE(section->accessor[line], NUMA_NO_NODE);
		else if (accessor != NUMA_NO_NODE)
			WRITE_ONCE(section->accessor[line], accessor & ~ACCESSOR_SHARED);
	}
	/* The records first: a reader of the new time trusts them. */
	smp_store_release(&section->aged[line], now);
}

/* Returns true if some of the section is online memory of the node. */
static bool section_is_on(unsigned long nr, int nid)
{
	unsigned long pfn = section_nr_to_pfn(nr), end = pfn + PAGES_PER_SECTION;

	for (; pfn < end; pfn += pageblock_nr_pages) {
		struct page *page = pfn_to_online_page(pfn);

		if (page && page_to_nid(page) == nid)
			return true;
	}
	return false;
}

static struct hot_block *block_get(unsigned long nr)
{
	struct hot_block *block = hot_blocks[nr];

	if (!block) {
		block = inject_alloc(NULL, kvzalloc(sizeof(*block), GFP_KERNEL));
		if (block)
			/* Zeroed before recorders see it. */
			smp_store_release(&hot_blocks[nr], block);
	}
	return block;
}

static struct hot_section *section_alloc(struct hot_node *node, unsigned long nr, int home)
{
	const struct rec_format *f = rec_format();
	size_t size = f == &rec_precise ? sizeof(struct hot_section) :
					  offsetofend(struct hot_section, rec8);
	u32 now = rec_bucket(f, pghot_clock()) >> f->aged_shift;
	struct hot_section *section = inject_alloc(NULL, vzalloc_node(size, home));
	unsigned int line;

	if (!section)
		return NULL;
	section->node = node;
	section->nr = nr;
	for (line = 0; line < HOT_LINES; line++) {
		section->aged[line] = now;
		if (!f->nid_mask)
			section->accessor[line] = NUMA_NO_NODE;
	}
	return section;
}

static int section_add(struct hot_node *node, unsigned long nr, int home)
{
	struct hot_block *block = block_get(nr / HOT_BLOCK);
	struct hot_section *section;

	if (!block)
		return -ENOMEM;
	if (rcu_access_pointer(block->section[nr % HOT_BLOCK]))
		return 0;
	section = section_alloc(node, nr, home);
	if (!section)
		return -ENOMEM;

	section->block = block;
	node->first = min(node->first, nr / HOT_BLOCK);
	node->last = max(node->last, nr / HOT_BLOCK);
	node->nr_sections++;
	rcu_assign_pointer(block->section[nr % HOT_BLOCK], section);
	return 0;
}

/**
 * hotmap_add() - make records for the online memory of a node
 * @node: the node
 * @start_pfn: where to look
 * @end_pfn: up to, but not including
 * @home: node that the records are to be on
 *
 * Process context, sleeps. The caller serialises hotmap_add(), hotmap_remove() and
 * hotplug. What has records already keeps them.
 *
 * Return: 0 or -ENOMEM; records made until then stay.
 */
int hotmap_add(struct hot_node *node, unsigned long start_pfn, unsigned long end_pfn, int home)
{
	unsigned long nr = pfn_to_section_nr(start_pfn), end = pfn_to_section_nr(end_pfn - 1);
	int ret = 0;

	for (; nr <= end && !ret; nr++) {
		if (section_is_on(nr, node->nid))
			ret = section_add(node, nr, home);
		cond_resched();
	}
	return ret;
}

/**
 * hotmap_remove() - forget memory of a node
 * @node: the node
 * @start_pfn: its first page to be forgotten
 * @end_pfn: up to, but not including
 *
 * Process context, sleeps: until kmigrated has left the sections, and recorders, too.
 */
void hotmap_remove(struct hot_node *node, unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned long nr = pfn_to_section_nr(start_pfn), end = pfn_to_section_nr(end_pfn - 1);
	struct hot_section *section, *next;
	struct hot_block *block;
	LIST_HEAD(removed);

	down_write(&node->sections);
	for (; nr <= end; nr++) {
		block = hot_blocks[nr / HOT_BLOCK];
		section = block ? rcu_dereference_protected(block->section[nr % HOT_BLOCK],
							    lockdep_is_held(&node->sections)) :
				  NULL;
		if (!section || section->node != node)
			continue;
		RCU_INIT_POINTER(block->section[nr % HOT_BLOCK], NULL);
		list_add(&section->list, &removed);
		node->nr_sections--;
	}
	up_write(&node->sections);

	if (list_empty(&removed))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(section, next, &removed, list)
		vfree(section);
}

static void hot_node_wake(struct irq_work *work)
{
	wake_up(&container_of(work, struct hot_node, wake)->wait);
}

/**
 * hotmap_add_node() - make a slow node known, as yet without records
 * @nid: its id
 * @home: node that its data are to be on
 *
 * Process context, sleeps.
 *
 * Return: the node, or NULL without memory for it.
 */
struct hot_node *hotmap_add_node(int nid, int home)
{
	struct hot_node *node = inject_alloc(NULL, kzalloc_node(sizeof(*node), GFP_KERNEL, home));

	if (!node)
		return NULL;
	node->nid = nid;
	node->first = ULONG_MAX;
	init_rwsem(&node->sections);
	init_waitqueue_head(&node->wait);
	init_irq_work(&node->wake, hot_node_wake);
	return node;
}

/**
 * hotmap_remove_node() - forget a slow node, and all its records
 * @node: the node, whose kmigrated has ended
 *
 * Process context, sleeps.
 */
void hotmap_remove_node(struct hot_node *node)
{
	if (node->nr_sections)
		hotmap_remove(node, section_nr_to_pfn(node->first * HOT_BLOCK),
			      section_nr_to_pfn((node->last + 1) * HOT_BLOCK));
	irq_work_sync(&node->wake);
	kfree(node);
}

/**
 * hotmap_init() - make an empty map
 *
 * Process context, sleeps. rec_format() is settled.
 *
 * Return: 0 or -ENOMEM.
 */
int hotmap_init(void)
{
	unsigned long nr = DIV_ROUND_UP(NR_MEM_SECTIONS, HOT_BLOCK);

	hot_blocks = inject_alloc(NULL, kvcalloc(nr, sizeof(*hot_blocks), GFP_KERNEL));
	if (!hot_blocks)
		return -ENOMEM;
	hot_nr_blocks = nr;
	return 0;
}

/**
 * hotmap_exit() - free the map
 *
 * Process context, sleeps. The sources are off, and all nodes are removed.
 */
void hotmap_exit(void)
{
	unsigned long nr;

	for (nr = 0; nr < hot_nr_blocks; nr++)
		kvfree(hot_blocks[nr]);
	kvfree(hot_blocks);
}
