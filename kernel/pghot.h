/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pghot: what every source of hotness needs to know, and all it may know.
 */
#ifndef PGHOT_H
#define PGHOT_H

#include <linux/timekeeping.h>
#include <linux/types.h>

struct folio;

/**
 * enum pghot_src - where a recorded access was seen; the bit in enabled_sources
 * @PGHOT_SRC_HINTFAULTS: NUMA hint fault taken in tiering mode
 * @PGHOT_SRC_HWHINTS: reported by hardware, that is by a driver in another module
 * @PGHOT_SRC_ACCESSED: accessed bit found set in a page table
 * @PGHOT_SRC_PAGECACHE: page cache that a system call read, and nobody maps
 * @PGHOT_SRC_MGLRU: found accessed by the ageing of the multi-gen LRU
 * @PGHOT_SRC_PERF: sampled by a performance counter of the CPUs
 * @PGHOT_SRC_MPROF: sampled by AMD's memory profiler
 * @PGHOT_SRC_CHMU: counted by a CXL hotness monitoring unit
 * @PGHOT_SRC_VHMU: counted by the lab's virtual hotness monitoring unit
 * @PGHOT_NR_SRC: number of sources
 */
enum pghot_src {
	PGHOT_SRC_HINTFAULTS,
	PGHOT_SRC_HWHINTS,
	PGHOT_SRC_ACCESSED,
	PGHOT_SRC_PAGECACHE,
	PGHOT_SRC_MGLRU,
	PGHOT_SRC_PERF,
	PGHOT_SRC_MPROF,
	PGHOT_SRC_CHMU,
	PGHOT_SRC_VHMU,
	PGHOT_NR_SRC,
};

/**
 * pghot_clock() - the time that records are kept in
 *
 * Any context, NMI included.
 *
 * Return: monotonic time, ns.
 */
static inline u64 pghot_clock(void)
{
	return ktime_get_mono_fast_ns();
}

u64 pghot_memory(void);
int pghot_record_access(unsigned long pfn, int nid, enum pghot_src src, u64 when);
long pghot_record_range(unsigned long start, unsigned long nr, int nid, enum pghot_src src,
			u64 when, unsigned int weight);
int pghot_record_folio(struct folio *folio, int nid, enum pghot_src src, u64 when);

#endif /* PGHOT_H */
