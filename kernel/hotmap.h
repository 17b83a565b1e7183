/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The store of hotness: records of all pages of the slow nodes, by section.
 */
#ifndef PGHOT_HOTMAP_H
#define PGHOT_HOTMAP_H

#include <linux/irq_work.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/wait.h>

#include "record_default.h"

#define HOT_LINES	(PAGES_PER_SECTION / PGHOT_LINE)

/**
 * struct hot_section - the records of one memory section
 * @ready: one bit for each line that holds, or held, a ready record
 * @aged: when each line was last aged, full time, buckets
 * @accessor: node of the last access recorded in each line, or NUMA_NO_NODE
 * @rec: the records
 *
 * Updated without locks by any number of recorders and one kmigrated. A bit in
 * @ready is set after its record and cleared before the records are read, so a
 * ready record is never overlooked; a bit without a ready record does no harm.
 */
struct hot_section {
	DECLARE_BITMAP(ready, HOT_LINES);
	u32 aged[HOT_LINES];
	s16 accessor[HOT_LINES];
	u8 rec[PAGES_PER_SECTION];
};

/**
 * struct hot_node - one slow node
 * @nid: its id
 * @first: number of its first section
 * @nr: number of sections it spans
 * @sections: their records, NULL where the section holds no memory
 * @ready: one bit for each section with a bit in its own @ready
 * @pending: something became ready since kmigrated last looked
 * @wait: where kmigrated sleeps
 * @wake: wakes it, from any context
 * @kmigrated: the thread
 */
struct hot_node {
	int nid;
	unsigned long first;
	unsigned long nr;
	struct hot_section **sections;
	unsigned long *ready;
	atomic_t pending;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct task_struct *kmigrated;
};

/**
 * struct hot_slot - where the record of one page is
 * @node: its node
 * @section: its section
 * @nr: number of that section within @node
 * @index: number of the record within @section
 */
struct hot_slot {
	struct hot_node *node;
	struct hot_section *section;
	unsigned long nr;
	unsigned int index;
};

extern struct hot_node *hot_nodes[MAX_NUMNODES];
extern nodemask_t pghot_slow_nodes;

int hotmap_init(const nodemask_t *slow);
void hotmap_exit(void);
bool hotmap_find(unsigned long pfn, int nid, struct hot_slot *slot);
void hotmap_mark_ready(const struct hot_slot *slot);
u32 hotmap_line_exact(struct hot_section *section, unsigned int line, u32 now);

/**
 * hotmap_is_slow() - does pghot keep records for this node?
 * @nid: node id
 *
 * Any context.
 */
static __always_inline bool hotmap_is_slow(int nid)
{
	return node_isset(nid, pghot_slow_nodes);
}

#endif /* PGHOT_HOTMAP_H */
