/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The store of records
 *
 * The map has the records of all pages of the slow nodes, by memory section.
 *
 * A section is in the map from the moment when its memory is online until it is taken offline, and
 * at no other time. Whoever finds a page's section in the map, under RCU, knows that the page's
 * struct page can be read for as long as the RCU read-side section lasts.
 */
#ifndef PGHOT_CORE_HOTMAP_H
#define PGHOT_CORE_HOTMAP_H

#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/math.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/wait.h>

#include "core/mode.h"
#include "core/record.h"

#define HOT_LINES	(PAGES_PER_SECTION / REC_LINE)
/* Lines whose heads share a cache line. */
#define HOT_HEAD	(L1_CACHE_BYTES / (sizeof(u32) + sizeof(s16)))

/* Sections, 1 TiB on x86-64, that a node's ready bits tell apart. */
#define HOT_READY	8192ul

/*
 * In the lab, kmigrated looks at some 250,000 base pages in a second, which are 1 GB. More CPUs
 * make more memory hot. So a slow node has a thread for each HOT_PART_CPUS CPUs of the machine,
 * and HOT_PARTS_MAX at most.
 */
#define HOT_PART_CPUS	16u
#define HOT_PARTS_MAX	16u

/* In hot_section.accessor, beside the node: the line was used from several nodes. */
#define ACCESSOR_SHARED	0x4000

/**
 * enum hot_queue - what kmigrated has to do with a line that holds ready records
 * @HOT_FRESH: a record of the line became ready after kmigrated last looked at the line
 * @HOT_WAITING: kmigrated looked at the line, could not promote a page, and left its
 *	record ready
 * @HOT_QUEUES: number of queues
 *
 * A line can be in both queues. kmigrated looks at fresh lines soon, and at waiting lines
 * when there may be room or budget for them.
 */
enum hot_queue {
	HOT_FRESH,
	HOT_WAITING,
	HOT_QUEUES,
};

/**
 * struct hot_place - where a scan of a node goes on
 * @nr: number of a section
 * @line: number of a line in it
 *
 * Scans go through the sections in the order of @nr modulo HOT_READY, then of @nr.
 */
struct hot_place {
	unsigned long nr;
	unsigned int line;
};

/**
 * struct hot_head - what is known of some lines as a whole
 * @aged: when each line was last aged, as rec_line_exact() wants it
 * @accessor: default mode: node of the accesses recorded in each line, or NUMA_NO_NODE. With
 *	ACCESSOR_SHARED there were several, and it is that of the last access that made a record
 *	ready, or of the access that showed that there are several
 */
struct hot_head {
	u32 aged[HOT_HEAD];
	s16 accessor[HOT_HEAD];
} __aligned(L1_CACHE_BYTES);

/**
 * struct hot_section - the records of one memory section
 * @head: of all lines. To record an access reads and writes one cache line here, and one of the
 *	records
 * @ready: by queue, one bit for each line that holds, or held, a ready record
 * @list: in what pghot_hotmap_remove() took out
 * @node: the slow node, or its part, whose kmigrated looks at it. A section can hold memory of two
 *	nodes. Then it belongs to one of them, and that node's kmigrated promotes from both
 * @nr: number of the section
 * @rec8: default mode: the records
 * @rec32: precise mode: the records
 *
 * Updated without locks by any number of recorders, one kmigrated and its workers. A bit
 * in @ready is set after its record and cleared before the records are read, so a ready
 * record is never overlooked. A bit without a ready record does no harm. Recorders set bits
 * of HOT_FRESH only, and kmigrated alone sets those of HOT_WAITING.
 */
struct hot_section {
	struct hot_head head[DIV_ROUND_UP(HOT_LINES, HOT_HEAD)];
	unsigned long ready[HOT_QUEUES][BITS_TO_LONGS(HOT_LINES)];
	struct list_head list;
	struct hot_node *node;
	unsigned long nr;
	union {
		u8 rec8[PAGES_PER_SECTION];
		u32 rec32[PAGES_PER_SECTION];
	} __aligned(L1_CACHE_BYTES);
};

/**
 * struct hot_map - sections by number
 * @nr: how many have a place
 * @section: their records, NULL where there is no slow memory
 *
 * Under RCU, as a larger map takes the place of one that got too small.
 */
struct hot_map {
	unsigned long nr;
	struct hot_section __rcu *section[];
};

/**
 * struct hot_node - a slow node, or on a large machine one of its parts
 * @nid: the node's id
 * @part: which part: of the sections whose number modulo pghot_hot_parts is this
 * @end: number after that of its last section
 * @nr_sections: how many sections it has in the map
 * @sections: held by kmigrated while it works in a section; held exclusively by
 *	whoever takes sections out
 * @ready: by queue, one bit for all sections whose numbers are the same modulo HOT_READY:
 *	one of them has a bit in its own @ready
 * @next: by queue, where the next scan begins; kmigrated's own
 * @pending: something became ready since kmigrated last looked
 * @wait: where kmigrated sleeps
 * @wake: wakes it, from any context
 */
struct hot_node {
	int nid;
	unsigned int part;
	unsigned long end;
	unsigned long nr_sections;
	struct rw_semaphore sections;
	unsigned long ready[HOT_QUEUES][BITS_TO_LONGS(HOT_READY)];
	struct hot_place next[HOT_QUEUES];
	atomic_t pending;
	wait_queue_head_t wait;
	struct irq_work wake;
};

extern struct hot_map __rcu *pghot_hot_map;
/* How many parts each slow node has, and so how many threads. Set before any node is added. */
extern unsigned int pghot_hot_parts;

int pghot_hotmap_init(void);
void pghot_hotmap_exit(void);
struct hot_node *pghot_hotmap_add_node(int nid, unsigned int part, int home);
void pghot_hotmap_remove_node(struct hot_node *node);
int pghot_hotmap_add(struct hot_node *node, unsigned long start_pfn, unsigned long end_pfn,
		     int home);
void pghot_hotmap_remove(struct hot_node *node, unsigned long start_pfn, unsigned long end_pfn);
void pghot_hotmap_mark_ready(struct hot_section *section, unsigned int line);
void pghot_hotmap_put_back(unsigned long pfn, int nid);
void pghot_hotmap_age_line(struct hot_section *section, unsigned int line, u32 aged, u32 now);

/**
 * hotmap_section() - find the records of a section
 * @nr: any number
 *
 * Any context, NMI included. The caller is in an RCU read-side section of any flavour.
 *
 * Return: the section, or NULL if pghot keeps no records for it: it is not online, or not
 * on a slow node.
 */
static __always_inline struct hot_section *hotmap_section(unsigned long nr)
{
	const struct hot_map *map = rcu_dereference_check(pghot_hot_map, rcu_read_lock_any_held());

	if (nr >= map->nr)
		return NULL;
	return rcu_dereference_check(map->section[nr], rcu_read_lock_any_held());
}

/**
 * hotmap_find() - find the records of the section that a page is in
 * @pfn: any number
 *
 * Context and return value are those of hotmap_section().
 */
static __always_inline struct hot_section *hotmap_find(unsigned long pfn)
{
	return hotmap_section(pfn_to_section_nr(pfn));
}

/**
 * hotmap_aged() - when a line was last aged
 * @section: the section
 * @line: number of the line in it
 *
 * Any context. Return: where that is kept.
 */
static __always_inline u32 *hotmap_aged(struct hot_section *section, unsigned int line)
{
	return &section->head[line / HOT_HEAD].aged[line % HOT_HEAD];
}

/**
 * hotmap_accessor() - which node used a line, in default mode
 * @section: the section
 * @line: number of the line in it
 *
 * Any context. Return: where that is kept.
 */
static __always_inline s16 *hotmap_accessor(struct hot_section *section, unsigned int line)
{
	return &section->head[line / HOT_HEAD].accessor[line % HOT_HEAD];
}

/**
 * hotmap_line_ref() - see to it that the records of a line can be read at some time
 * @f: format
 * @section: the section
 * @line: number of the line in it
 * @now: that time in buckets, all bits of it. It has to be the present: with a later time the
 *	line would forget too much
 *
 * Any context. Forgets what the line holds from too long ago.
 *
 * Return: time to reckon from, of rec_line_ref().
 */
static __always_inline u32 hotmap_line_ref(const struct rec_format *f,
					   struct hot_section *section, unsigned int line, u64 now)
{
	/* Pairs with pghot_hotmap_age_line(). */
	u32 aged = smp_load_acquire(hotmap_aged(section, line));

	/* The clock of the CPU that aged the line may be ahead by a moment. */
	if (unlikely(!rec_line_exact(f, aged, now)) && !rec_line_later(f, aged, now)) {
		pghot_hotmap_age_line(section, line, aged, now >> f->aged_shift);
		aged = now >> f->aged_shift;
	}
	return rec_line_ref(f, aged);
}

/**
 * hotmap_rec() - read a record
 * @f: format
 * @section: the section
 * @index: number of the record in it
 *
 * Any context.
 */
static __always_inline u32 hotmap_rec(const struct rec_format *f,
				      const struct hot_section *section, unsigned long index)
{
	return f->bytes == 1 ? READ_ONCE(section->rec8[index]) : READ_ONCE(section->rec32[index]);
}

/**
 * struct hot_user - who uses a page, as far as is known
 * @nid: node that used it last, or NUMA_NO_NODE
 * @shared: several nodes use it
 */
struct hot_user {
	int nid;
	bool shared;
};

/**
 * hotmap_user() - who uses a page
 * @f: format
 * @section: the section
 * @index: number of its record in it
 * @rec: that record, which is not zero
 *
 * Any context. In default mode it is not known who uses the page itself, and this says who uses the
 * pages of its line.
 */
static inline struct hot_user hotmap_user(const struct rec_format *f, struct hot_section *section,
					  unsigned int index, u32 rec)
{
	struct hot_user user = { .nid = rec_nid(f, rec), .shared = rec & f->shared };

	if (f->nid_mask)
		return user;
	user.nid = READ_ONCE(*hotmap_accessor(section, index / REC_LINE));
	user.shared = user.nid != NUMA_NO_NODE && user.nid & ACCESSOR_SHARED;
	if (user.shared)
		user.nid &= ~ACCESSOR_SHARED;
	return user;
}

/**
 * hotmap_word() - read eight bytes of records
 * @f: format
 * @section: the section
 * @index: number of the first record
 *
 * Any context. Return: the records, 8 or 2 of them, the first in the lowest bits.
 */
static __always_inline u64 hotmap_word(const struct rec_format *f,
				       const struct hot_section *section, unsigned int index)
{
	if (f->bytes == 1)
		return READ_ONCE(*(const u64 *)&section->rec8[index]);
	return READ_ONCE(*(const u64 *)&section->rec32[index]);
}

/**
 * hotmap_change() - write a record, unless it has changed meanwhile
 * @f: format
 * @section: the section
 * @index: number of the record in it
 * @old: what it is thought to be; what it was, when this returns
 * @new: what it is to be
 *
 * Any context. A full barrier if the record was written.
 */
static __always_inline bool hotmap_change(const struct rec_format *f, struct hot_section *section,
					  unsigned long index, u32 *old, u32 new)
{
	u8 old8 = *old;
	bool done;

	if (f->bytes != 1)
		return try_cmpxchg(&section->rec32[index], old, new);
	done = try_cmpxchg(&section->rec8[index], &old8, (u8)new);
	*old = old8;
	return done;
}

#endif /* PGHOT_CORE_HOTMAP_H */
