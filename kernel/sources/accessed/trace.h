/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of the accessed-bit scanner
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_SOURCES_ACCESSED_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_SOURCES_ACCESSED_TRACE_H

#include <linux/tracepoint.h>

/* @tgid: a process that uses the address space */
DECLARE_EVENT_CLASS(pghot_accessed_mm,

	TP_PROTO(int tgid),

	TP_ARGS(tgid),

	TP_STRUCT__entry(
		__field(int,		tgid)
	),

	TP_fast_assign(
		__entry->tgid = tgid;
	),

	TP_printk("tgid=%d", __entry->tgid)
);

/* The accessed-bit scanner found an address space */
DEFINE_EVENT(pghot_accessed_mm, pghot_accessed_mm_enter,
	TP_PROTO(int tgid),
	TP_ARGS(tgid)
);

/* The accessed-bit scanner let an address space go */
DEFINE_EVENT(pghot_accessed_mm, pghot_accessed_mm_exit,
	TP_PROTO(int tgid),
	TP_ARGS(tgid)
);

/* A scan of an address space begins. @address: where; @scan_size_mb: how much it may be */
TRACE_EVENT(pghot_accessed_scan_start,

	TP_PROTO(int tgid, unsigned long address, unsigned int scan_size_mb),

	TP_ARGS(tgid, address, scan_size_mb),

	TP_STRUCT__entry(
		__field(int,		tgid)
		__field(unsigned long,	address)
		__field(unsigned int,	scan_size_mb)
	),

	TP_fast_assign(
		__entry->tgid = tgid;
		__entry->address = address;
		__entry->scan_size_mb = scan_size_mb;
	),

	TP_printk("tgid=%d address=0x%lx scan_size_mb=%u",
		  __entry->tgid, __entry->address, __entry->scan_size_mb)
);

/*
 * A scan of an address space is over. @pages: looked at; @useful: accessed, of slow nodes;
 * @scan_period_ms, @scan_size_mb: of the next; @target_node: for its pages, -1 if unknown
 */
TRACE_EVENT(pghot_accessed_scan_end,

	TP_PROTO(int tgid, unsigned long pages, unsigned long useful, unsigned int scan_period_ms,
		 unsigned int scan_size_mb, int target_node),

	TP_ARGS(tgid, pages, useful, scan_period_ms, scan_size_mb, target_node),

	TP_STRUCT__entry(
		__field(int,		tgid)
		__field(unsigned long,	pages)
		__field(unsigned long,	useful)
		__field(unsigned int,	scan_period_ms)
		__field(unsigned int,	scan_size_mb)
		__field(int,		target_node)
	),

	TP_fast_assign(
		__entry->tgid = tgid;
		__entry->pages = pages;
		__entry->useful = useful;
		__entry->scan_period_ms = scan_period_ms;
		__entry->scan_size_mb = scan_size_mb;
		__entry->target_node = target_node;
	),

	TP_printk("tgid=%d pages=%lu useful=%lu scan_period_ms=%u scan_size_mb=%u target_node=%d",
		  __entry->tgid, __entry->pages, __entry->useful, __entry->scan_period_ms,
		  __entry->scan_size_mb, __entry->target_node)
);

/*
 * The scanner of accessed bits has looked which processes there are. @visited: how many it
 * looked at, the kernel's threads included
 */
TRACE_EVENT(pghot_accessed_find,

	TP_PROTO(unsigned int visited),

	TP_ARGS(visited),

	TP_STRUCT__entry(
		__field(unsigned int,	visited)
	),

	TP_fast_assign(
		__entry->visited = visited;
	),

	TP_printk("visited=%u", __entry->visited)
);

#endif /* PGHOT_SOURCES_ACCESSED_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH sources/accessed
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
