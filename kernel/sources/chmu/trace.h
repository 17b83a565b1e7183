/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of hotness monitoring units
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_SOURCES_CHMU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_SOURCES_CHMU_TRACE_H

#include <linux/tracepoint.h>

/*
 * A hotness monitoring unit reported a unit of its memory. @dpa: device address; @pages:
 * host pages that it is, 0 if the map does not have it; @count: accesses
 */
TRACE_EVENT(pghot_hmu,

	TP_PROTO(u64 dpa, u64 pages, u64 count),

	TP_ARGS(dpa, pages, count),

	TP_STRUCT__entry(
		__field(u64,		dpa)
		__field(u64,		pages)
		__field(u64,		count)
	),

	TP_fast_assign(
		__entry->dpa = dpa;
		__entry->pages = pages;
		__entry->count = count;
	),

	TP_printk("dpa=0x%llx pages=%llu count=%llu",
		  __entry->dpa, __entry->pages, __entry->count)
);

#endif /* PGHOT_SOURCES_CHMU_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH sources/chmu
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
