/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Who served a sampled access
 *
 * This is read from the union perf_mem_data_src of a sample, into which the kernel translates what
 * AMD's IBS and Intel's PEBS report.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_PERF_SERVED_H
#define PGHOT_SOURCES_PERF_SERVED_H

#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * enum perf_served - who served a sampled access
 * @PERF_SERVED_UNKNOWN: the sample does not tell; the event may
 * @PERF_SERVED_NOTHING: it was no load and no store
 * @PERF_SERVED_CACHE: a cache, of whatever CPU, or a fetch that was on its way
 * @PERF_SERVED_DEVICE: a device, or memory that is not cached
 * @PERF_SERVED_DRAM: DRAM of the CPU's own node
 * @PERF_SERVED_REMOTE: DRAM of another node
 * @PERF_SERVED_EXTENDED: CXL or persistent memory, of any node
 */
enum perf_served {
	PERF_SERVED_UNKNOWN,
	PERF_SERVED_NOTHING,
	PERF_SERVED_CACHE,
	PERF_SERVED_DEVICE,
	PERF_SERVED_DRAM,
	PERF_SERVED_REMOTE,
	PERF_SERVED_EXTENDED,
};

#define PERF_LVL_REMOTE_RAM	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2)
#define PERF_LVL_ANY_CACHE	(PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2 |	\
				 PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)
#define PERF_LVL_ANY_DEVICE	(PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC)

/* Reads the older field, where the newer one leaves it open. */
static inline enum perf_served perf_served_by_lvl(union perf_mem_data_src src)
{
	if (src.mem_lvl & PERF_LVL_ANY_DEVICE)
		return PERF_SERVED_DEVICE;
	if (src.mem_lvl & PERF_LVL_ANY_CACHE)
		return PERF_SERVED_CACHE;
	return PERF_SERVED_UNKNOWN;
}

/**
 * perf_served() - who served a sampled access
 * @src: what the sample says
 *
 * Any context, NMI included.
 *
 * The kernel keeps two fields for the level and fills both as it sees fit. Where they
 * contradict each other the older one is right: Intel's code 0x0b, remote DRAM, has the
 * newer one say L3.
 */
static inline enum perf_served perf_served(union perf_mem_data_src src)
{
	if (!(src.mem_op & (PERF_MEM_OP_NA | PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE)))
		return PERF_SERVED_NOTHING;
	/* Another cache had the line, modified or to pass on, and gave it. */
	if (src.mem_snoop & PERF_MEM_SNOOP_HITM || src.mem_snoopx)
		return PERF_SERVED_CACHE;
	if (src.mem_lvl & PERF_LVL_REMOTE_RAM)
		return PERF_SERVED_REMOTE;
	if (src.mem_lvl & PERF_MEM_LVL_LOC_RAM)
		return PERF_SERVED_DRAM;
	/* The level that is named then is one that did not serve the access. */
	if (src.mem_lvl & PERF_MEM_LVL_MISS)
		return PERF_SERVED_UNKNOWN;

	switch (src.mem_lvl_num) {
	case PERF_MEM_LVLNUM_RAM:
		return src.mem_remote ? PERF_SERVED_REMOTE : PERF_SERVED_DRAM;
	case PERF_MEM_LVLNUM_CXL:
	case PERF_MEM_LVLNUM_PMEM:
		return PERF_SERVED_EXTENDED;
	case PERF_MEM_LVLNUM_UNC:
	case PERF_MEM_LVLNUM_IO:
		return PERF_SERVED_DEVICE;
	case PERF_MEM_LVLNUM_L1:
	case PERF_MEM_LVLNUM_L2:
	case PERF_MEM_LVLNUM_L3:
	case PERF_MEM_LVLNUM_L4:
	case PERF_MEM_LVLNUM_L2_MHB:
	case PERF_MEM_LVLNUM_MSC:
	case PERF_MEM_LVLNUM_ANY_CACHE:
	case PERF_MEM_LVLNUM_LFB:
		return PERF_SERVED_CACHE;
	default:
		return perf_served_by_lvl(src);
	}
}

/**
 * perf_served_counts() - is this an access that memory served, for all that is known?
 * @served: who served it
 *
 * If a sample does not say who served the access, it is recorded. Some events need not say it,
 * because they count only loads that missed the last cache. And IBS does not say it for stores: it
 * only says that L2 did not serve them.
 */
static inline bool perf_served_counts(enum perf_served served)
{
	return served == PERF_SERVED_UNKNOWN || served >= PERF_SERVED_DRAM;
}

#endif /* PGHOT_SOURCES_PERF_SERVED_H */
