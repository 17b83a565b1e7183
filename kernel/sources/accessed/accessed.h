/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The parts of the accessed-bit scanner
 *
 * A thread (scanner.c) goes from address space to address space (spaces.c) and scans a piece of
 * each (walk.c). How often it scans, and how much at a time, depends on what it finds (tune.h) and
 * on what the administrator has set for the process (scale.c).
 */
#ifndef PGHOT_SOURCES_ACCESSED_ACCESSED_H
#define PGHOT_SOURCES_ACCESSED_ACCESSED_H

#include <linux/timerqueue.h>
#include <linux/types.h>

#include "sources/accessed/tune.h"

/* Place in enabled_sources. */
#define ACCESSED_BIT	2

struct folio;
struct mm_struct;
struct textfile;

/**
 * struct accessed_mm - an address space that is scanned
 * @hash: in the table of them
 * @mm: it, kept from being freed, though not from being emptied
 * @tgid: a process that uses it
 * @bound: the memory policy of that process keeps its memory where it is
 * @watched: it may have slow memory, so its accessed bits are looked at. Otherwise it is only
 *	looked at to see whether it has slow memory
 * @met_slow: this pass through it has met slow memory
 * @round: when it was last found to be in use
 * @tune: size and period of its scans
 * @next: in the queue of them, by when to scan it, jiffies of 64 bits
 * @address: where to go on
 * @pass_began: by pghot_clock(), when this pass through it began
 * @waits_since: when the last whole pass began: since then bits wait to be set again. 0 if
 *	nobody knows since when
 * @nid: fast node that its processes used most, NUMA_NO_NODE if none
 * @used: recent accesses to each fast node, by node id
 */
struct accessed_mm {
	struct hlist_node hash;
	struct mm_struct *mm;
	pid_t tgid;
	bool bound;
	bool watched;
	bool met_slow;
	unsigned int round;
	struct accessed_tune tune;
	struct timerqueue_node next;
	unsigned long address;
	u64 pass_began;
	u64 waits_since;
	int nid;
	u32 used[];
};

void pghot_accessed_mms_find(void);
struct accessed_mm *pghot_accessed_mms_first(void);
void pghot_accessed_mms_wait(struct accessed_mm *m, u64 when);
void pghot_accessed_mms_free(void);

/**
 * struct accessed_walk - one look at a part of an address space
 * @m: address space
 * @since: since when its pages had been waiting for an access, by pghot_clock(). 0 if nobody
 *	knows: then they begin to wait with this look
 * @bytes: of its mappings, still to be looked at
 * @budget: entries of page tables that are still to be looked at under one lock
 * @next: address where it stopped
 * @last: folio that was met last. It is only compared, because the folio may be gone
 * @vmas: mappings looked at
 * @pages: pages looked at
 * @skipped: tables of PTEs that were known to hold nothing
 * @slow: accessed pages of slow nodes
 * @waiting: of these, those that were looked at for the first time
 * @fast: accessed pages of fast nodes
 * @cleared: bits were cleared that processors may have cached
 */
struct accessed_walk {
	struct accessed_mm *m;
	u64 since;
	unsigned long bytes;
	long budget;
	unsigned long next;
	const struct folio *last;
	unsigned long vmas;
	unsigned long pages;
	unsigned long skipped;
	unsigned long slow;
	unsigned long waiting;
	unsigned long fast;
	bool cleared;
};

int pghot_accessed_walk(struct accessed_walk *walk);

unsigned int pghot_accessed_scale_of(pid_t tgid);
extern const struct textfile pghot_accessed_scale_file;

void pghot_accessed_scale_exit(void);

#endif /* PGHOT_SOURCES_ACCESSED_ACCESSED_H */
