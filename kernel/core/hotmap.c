// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The store of records as memory comes and goes
 *
 * Records are made and freed by memory section, in step with memory hotplug. Recorders read the
 * map under RCU and never wait. Whoever changes the map holds a mutex. The marks that lead
 * kmigrated to ready records are set here, too.
 */
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/hotmap.h"
#include "core/nodestat.h"
#include "core/recmem.h"
#include "pghot.h"
#include "testing/inject.h"

struct hot_map __rcu *pghot_hot_map;
unsigned int pghot_hot_parts = 1;

static_assert(MAX_NUMNODES <= ACCESSOR_SHARED);
static_assert(MAX_NUMNODES <= 1024);

/**
 * pghot_hotmap_mark_ready() - tell kmigrated that a line holds a ready record
 * @section: the section
 * @line: number of the line in it; the record was written by a cmpxchg
 *
 * Any context, NMI included. Wakes kmigrated if it sleeps, through an irq_work, as
 * the caller may hold any lock.
 */
void pghot_hotmap_mark_ready(struct hot_section *section, unsigned int line)
{
	struct hot_node *node = section->node;
	unsigned long bit = section->nr % HOT_READY;

	/*
	 * The order of writing is record, bit of the line, bit of the section, pending. kmigrated
	 * clears them in the opposite order, with a full barrier after each, before it reads the
	 * next. The record's cmpxchg is itself a full barrier.
	 */
	if (!test_bit(line, section->ready[HOT_FRESH])) {
		set_bit(line, section->ready[HOT_FRESH]);
		smp_mb__after_atomic();	/* line before node */
	}
	if (!test_bit(bit, node->ready[HOT_FRESH])) {
		set_bit(bit, node->ready[HOT_FRESH]);
		smp_mb__after_atomic();	/* node before pending */
	}
	if (!atomic_read(&node->pending) && !atomic_xchg(&node->pending, 1))
		irq_work_queue(&node->wake);
}

/**
 * pghot_hotmap_put_back() - remember a page that could not be promoted
 * @pfn: the page; of a large folio, its head
 * @nid: node that it was to go to, for records that know a node
 *
 * Any context. Its record was cleared when the page was taken. Now it says that the page was
 * used often, and last just now, so that the next access makes it ready. Does nothing if
 * pghot keeps no record for the page any more, or if it was used again meanwhile.
 */
void pghot_hotmap_put_back(unsigned long pfn, int nid)
{
	const struct rec_format *f = rec_format();
	unsigned long index = pfn % PAGES_PER_SECTION;
	u64 now = rec_bucket(f, pghot_clock());
	struct hot_section *section;
	u32 rec = 0;

	rcu_read_lock();
	section = hotmap_find(pfn);
	if (section) {
		/* The line has to be exact for what is written now. */
		hotmap_line_ref(f, section, index / REC_LINE, now);
		hotmap_change(f, section, index, &rec, rec_often(f, now, nid));
	}
	rcu_read_unlock();
}

/**
 * pghot_hotmap_age_line() - forget what a line holds from too long ago
 * @section: the section
 * @line: number of the line in it
 * @aged: when it was last aged
 * @now: when it is aged now, both in its units
 *
 * Any context, NMI included. Recorders may age one line at the same time: each only
 * clears records that it read as expired, so at worst a record written meanwhile is
 * lost, and none is made to look fresh.
 */
void pghot_hotmap_age_line(struct hot_section *section, unsigned int line, u32 aged, u32 now)
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
				pghot_nodestat_add(section->node->nid, NODE_STAT_EXPIRED, 1);
		}
	}
	if (!f->nid_mask) {
		s16 *accessor = hotmap_accessor(section, line), was = READ_ONCE(*accessor);

		if (empty)
			WRITE_ONCE(*accessor, NUMA_NO_NODE);
		else if (was != NUMA_NO_NODE)
			WRITE_ONCE(*accessor, was & ~ACCESSOR_SHARED);
	}
	/* The records are written first, because whoever reads the new time relies on them. */
	smp_store_release(hotmap_aged(section, line), now);
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

static struct hot_map *map_alloc(unsigned long nr)
{
	struct hot_map *map = inject_alloc(NULL, kvzalloc(struct_size(map, section, nr),
							  GFP_KERNEL));

	if (map)
		map->nr = nr;
	return map;
}

/* Held by whoever changes the map or the sections in it. */
static DEFINE_MUTEX(map_lock);

/* For whoever holds the lock. */
static struct hot_map *map_to_change(void)
{
	return rcu_dereference_protected(pghot_hot_map, lockdep_is_held(&map_lock));
}

/* Give section @nr a place. Recorders go on meanwhile. */
static int map_reach(unsigned long nr)
{
	struct hot_map *old = map_to_change(), *new;

	if (nr < old->nr)
		return 0;
	new = map_alloc(roundup_pow_of_two(nr + 1));
	if (!new)
		return -ENOMEM;
	memcpy(new->section, old->section, flex_array_size(old, section, old->nr));
	rcu_assign_pointer(pghot_hot_map, new);
	synchronize_rcu();
	kvfree(old);
	return 0;
}

/* Bytes of a section's records. */
static size_t section_size(void)
{
	return rec_format() == &rec_precise ? sizeof(struct hot_section) :
					      offsetofend(struct hot_section, rec8);
}

static struct hot_section *section_alloc(struct hot_node *node, unsigned long nr, int home)
{
	const struct rec_format *f = rec_format();
	u32 now = rec_bucket(f, pghot_clock()) >> f->aged_shift;
	struct hot_section *section = pghot_recmem_alloc(section_size(), home);
	unsigned int line;

	if (!section)
		return NULL;
	section->node = node;
	section->nr = nr;
	for (line = 0; line < HOT_LINES; line++) {
		*hotmap_aged(section, line) = now;
		*hotmap_accessor(section, line) = NUMA_NO_NODE;
	}
	return section;
}

static int section_add(struct hot_node *node, unsigned long nr, int home)
{
	struct hot_map *map = map_to_change();
	struct hot_section *section;

	if (rcu_access_pointer(map->section[nr]))
		return 0;
	section = section_alloc(node, nr, home);
	if (!section)
		return -ENOMEM;

	/* This has to be set before a recorder can tell kmigrated of the section. */
	WRITE_ONCE(node->end, max(node->end, nr + 1));
	node->nr_sections++;
	rcu_assign_pointer(map->section[nr], section);
	return 0;
}

/**
 * pghot_hotmap_add() - make records for the online memory of a node
 * @node: the node, or the part of it that they are made for
 * @start_pfn: where to look
 * @end_pfn: up to, but not including
 * @home: node that the records are to be on
 *
 * Process context, sleeps. The caller sees to it that no hotplug changes this memory
 * meanwhile. What has records already keeps them, of whatever node they are.
 *
 * Return: 0 or -ENOMEM; records made until then stay.
 */
int pghot_hotmap_add(struct hot_node *node, unsigned long start_pfn, unsigned long end_pfn,
		     int home)
{
	unsigned long nr = pfn_to_section_nr(start_pfn), end = pfn_to_section_nr(end_pfn - 1);
	int ret;

	mutex_lock(&map_lock);
	ret = map_reach(end);
	for (; nr <= end && !ret; nr++) {
		if (nr % pghot_hot_parts == node->part && section_is_on(nr, node->nid))
			ret = section_add(node, nr, home);
		cond_resched();
	}
	mutex_unlock(&map_lock);
	return ret;
}

/**
 * pghot_hotmap_remove() - forget memory of a node
 * @node: the node, or the part of it that forgets
 * @start_pfn: its first page to be forgotten
 * @end_pfn: up to, but not including
 *
 * Process context, sleeps: until kmigrated has left the sections, and recorders, too.
 */
void pghot_hotmap_remove(struct hot_node *node, unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned long nr = pfn_to_section_nr(start_pfn), end = pfn_to_section_nr(end_pfn - 1);
	struct hot_section *section;
	struct hot_map *map;
	LIST_HEAD(removed);

	mutex_lock(&map_lock);
	map = map_to_change();
	down_write(&node->sections);
	for (; nr <= end && nr < map->nr; nr++) {
		section = rcu_dereference_protected(map->section[nr], lockdep_is_held(&map_lock));
		if (!section || section->node != node)
			continue;
		RCU_INIT_POINTER(map->section[nr], NULL);
		list_add(&section->list, &removed);
		node->nr_sections--;
	}
	up_write(&node->sections);
	mutex_unlock(&map_lock);

	if (list_empty(&removed))
		return;
	synchronize_rcu();
	while (!list_empty(&removed)) {
		section = list_first_entry(&removed, struct hot_section, list);
		list_del(&section->list);
		pghot_recmem_free(section, section_size());
		cond_resched();
	}
}

static void hot_node_wake(struct irq_work *work)
{
	wake_up(&container_of(work, struct hot_node, wake)->wait);
}

/**
 * pghot_hotmap_add_node() - make a slow node known, as yet without records
 * @nid: its id
 * @part: which part of it, below pghot_hot_parts
 * @home: node that its data are to be on
 *
 * Process context, sleeps.
 *
 * Return: the node, or NULL without memory for it.
 */
struct hot_node *pghot_hotmap_add_node(int nid, unsigned int part, int home)
{
	struct hot_node *node = inject_alloc(NULL, kzalloc_node(sizeof(*node), GFP_KERNEL, home));

	if (!node)
		return NULL;
	node->nid = nid;
	node->part = part;
	init_rwsem(&node->sections);
	init_waitqueue_head(&node->wait);
	init_irq_work(&node->wake, hot_node_wake);
	return node;
}

/**
 * pghot_hotmap_remove_node() - forget a slow node or its part, and all its records
 * @node: the node, whose kmigrated has ended
 *
 * Process context, sleeps.
 */
void pghot_hotmap_remove_node(struct hot_node *node)
{
	if (node->nr_sections)
		pghot_hotmap_remove(node, 0, section_nr_to_pfn(node->end));
	irq_work_sync(&node->wake);
	kfree(node);
}

/**
 * pghot_hotmap_init() - make an empty map
 *
 * Process context, sleeps. rec_format() is settled.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_hotmap_init(void)
{
	struct hot_map *map = map_alloc(0);

	RCU_INIT_POINTER(pghot_hot_map, map);
	return map ? 0 : -ENOMEM;
}

/**
 * pghot_hotmap_exit() - free the map
 *
 * Process context, sleeps. The sources are off, and all nodes are removed.
 */
void pghot_hotmap_exit(void)
{
	mutex_lock(&map_lock);
	kvfree(map_to_change());
	mutex_unlock(&map_lock);
	pghot_recmem_exit();
}
