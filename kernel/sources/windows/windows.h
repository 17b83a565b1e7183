/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Accessed bits in short windows
 *
 * Accessed bits in short windows, of both tiers.
 *
 * A thread goes through the memory of all processes, a slice at a time (windows.c). It looks at
 * a slice four times (look.c). The first look clears accessed bits. The others find which pages
 * were used since the look before, that is within a window of some milliseconds. Pages of slow
 * nodes that were used in all three windows are hot, and pages of fast nodes that were used in
 * none are idle. Then it measures how long accesses to both tiers take (read.c). The policy says
 * how long windows are, and how much CPU time to take.
 *
 * Two windows are enough where there is free memory. And while looking has found little, it looks
 * at a sample of the memory: at a part of one page table in so many.
 */
#ifndef PGHOT_SOURCES_WINDOWS_WINDOWS_H
#define PGHOT_SOURCES_WINDOWS_WINDOWS_H

#include <linux/bitmap.h>
#include <linux/pgtable.h>
#include <linux/types.h>

#include "policy/policy.h"

/* Place in enabled_sources. */
#define WINDOWS_BIT	9

struct mm_struct;

/**
 * enum window_step - which of the looks at a piece of memory it is
 * @WINDOW_ARM: the first: accessed bits are cleared
 * @WINDOW_FIRST: the first window ends
 * @WINDOW_SECOND: the second window ends
 * @WINDOW_THIRD: the third window ends, and with it the slice
 */
enum window_step {
	WINDOW_ARM,
	WINDOW_FIRST,
	WINDOW_SECOND,
	WINDOW_THIRD,
};

/**
 * enum window_tier - where a page is
 * @WINDOW_NO_TIER: not in memory that is online
 * @WINDOW_FAST: on a fast node
 * @WINDOW_SLOW: on a slow node
 */
enum window_tier {
	WINDOW_NO_TIER,
	WINDOW_FAST,
	WINDOW_SLOW,
};

/**
 * struct window_table - what is known of the entries of a page table; of a huge page, entry 0
 * @addr: address that the table begins at
 * @before: entries that were used before the first window
 * @all: entries that were used in each window so far
 * @any: entries that were used in some window so far
 */
struct window_table {
	unsigned long addr;
	DECLARE_BITMAP(before, PTRS_PER_PTE);
	DECLARE_BITMAP(all, PTRS_PER_PTE);
	DECLARE_BITMAP(any, PTRS_PER_PTE);
};

/**
 * struct window_piece - a part of a slice: a range of one address space
 * @mm: address space, kept from being freed, though not from being emptied
 * @bound: the memory policy of its process keeps its memory where it is
 * @start: first address
 * @end: address behind the last
 * @looked: when it was looked at last, by pghot_clock()
 * @lost: nothing is known of some window: it took too long, pages were swapped in it, or the
 *        look at its end could not be taken
 * @table: its page tables that are looked at, in the order of their addresses
 * @nr_tables: how many these are
 */
struct window_piece {
	struct mm_struct *mm;
	bool bound;
	unsigned long start;
	unsigned long end;
	u64 looked;
	bool lost;
	struct window_table *table;
	unsigned int nr_tables;
};

/*
 * Pages of a tier that are read after a slice, at most and at least; one base page in so many is
 * chosen, and each huge page. Of a sample so many times as many are, as it is the first to ask
 * whether moving pages pays.
 */
#define WINDOW_READS	64u
#define WINDOW_READS_MIN 8u
#define WINDOW_READS_OF	16u
#define WINDOW_READS_SAMPLE 8u

/**
 * struct window_reads - pages of a tier that are read to see how long an access takes
 * @pfn: the last ones that were chosen
 * @nr: how many were chosen
 */
struct window_reads {
	unsigned long pfn[WINDOW_READS];
	unsigned int nr;
};

/* Huge pages that are split after a slice, at most. */
#define WINDOW_SPLITS	4u

/**
 * struct window_splits - huge pages to be split
 * @wanted: some are to be, by whether on slow nodes
 * @pfn: their first pages
 * @nr: how many these are
 */
struct window_splits {
	bool wanted[2];
	unsigned long pfn[WINDOW_SPLITS];
	unsigned int nr;
};

/**
 * struct window_look - one look at a piece of memory
 * @piece: the piece
 * @step: which look it is
 * @kind: the kind of folios that it looks at
 * @stride: one page table in so many is looked at, a power of two
 * @phase: which of these
 * @eager: a page of a slow node is hot as soon as it is used for a second time
 * @next: address where it goes on; 0 at the end of the address space
 * @most: page tables that the piece may have; for the first look
 * @table: number of the page table of the piece that it has come to
 * @entries: entries that it has looked at
 * @budget: entries that are still to be looked at under one lock
 * @cleared: bits were cleared that processors may have cached
 * @window_ns: time since the last look, ns
 * @salt: a number of this slice, for choosing at random
 * @section: memory section of the page that was met last
 * @tier: where that section is
 * @offers: idle pages of fast nodes are wanted
 * @locked: the mapping is locked in memory
 * @reads: pages in use, by whether on slow nodes; for the last look
 * @splits: huge pages to be split; for the last look
 * @hot: pages of slow nodes that were used in all windows before: were they in the last one?
 * @cold: pages of fast nodes that were used in none before, likewise
 * @found: what the policy is told; for the last look
 */
struct window_look {
	struct window_piece *piece;
	enum window_step step;
	enum policy_kind kind;
	unsigned int stride;
	unsigned int phase;
	bool eager;
	unsigned long next;
	unsigned int most;
	unsigned int table;
	unsigned long entries;
	long budget;
	bool cleared;
	u64 window_ns;
	unsigned long salt;
	unsigned long section;
	enum window_tier tier;
	bool offers;
	bool locked;
	struct window_reads *reads;
	struct window_splits *splits;
	struct rate_group *hot;
	struct rate_group *cold;
	struct policy_look *found;
};

int pghot_windows_look(struct window_look *look);
void pghot_windows_read(bool slow, const struct window_reads *reads);

#endif /* PGHOT_SOURCES_WINDOWS_WINDOWS_H */
