/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of the core
 *
 * They are in /sys/kernel/tracing/events/pghot/. A tracepoint that is off costs a nop.
 *
 * Pages are named by the page frame number of their record. That of a large folio is its head's.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_CORE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_CORE_TRACE_H

#include <linux/tracepoint.h>

/* Of source.c, which has an event here itself. */
const char *pghot_source_name(unsigned int bit);

/*
 * An access reached a record. @nid: the accessing node, -1 if unknown. The source is there as
 * its place in enabled_sources, for filters, and as its name, which is printed.
 */
TRACE_EVENT(pghot_record,

	TP_PROTO(unsigned long pfn, int nid, unsigned int src, unsigned int freq, bool ready),

	TP_ARGS(pfn, nid, src, freq, ready),

	TP_STRUCT__entry(
		__field(unsigned long,	pfn)
		__field(int,		nid)
		__field(int,		src)
		__string(name,		pghot_source_name(src))
		__field(unsigned int,	freq)
		__field(bool,		ready)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->nid = nid;
		__entry->src = src;
		__assign_str(name);
		__entry->freq = freq;
		__entry->ready = ready;
	),

	TP_printk("pfn=0x%lx nid=%d src=%s freq=%u ready=%d",
		  __entry->pfn, __entry->nid, __get_str(name), __entry->freq,
		  __entry->ready)
);

/*
 * A source is on or off now. The source is there as its place in enabled_sources, for filters, and
 * as its name, which is printed. @reason: why it could not be switched on; else empty
 */
TRACE_EVENT(pghot_source,

	TP_PROTO(unsigned int src, const char *name, bool on, const char *reason),

	TP_ARGS(src, name, on, reason),

	TP_STRUCT__entry(
		__field(int,		src)
		__string(name,		name)
		__field(bool,		on)
		__string(reason,	reason)
	),

	TP_fast_assign(
		__entry->src = src;
		__assign_str(name);
		__entry->on = on;
		__assign_str(reason);
	),

	TP_printk("src=%s on=%d reason=%s", __get_str(name), __entry->on, __get_str(reason))
);

/* A record became ready: kmigrated will look at the page. @nid: node of the page */
TRACE_EVENT(pghot_ready,

	TP_PROTO(unsigned long pfn, int nid),

	TP_ARGS(pfn, nid),

	TP_STRUCT__entry(
		__field(unsigned long,	pfn)
		__field(int,		nid)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->nid = nid;
	),

	TP_printk("pfn=0x%lx nid=%d", __entry->pfn, __entry->nid)
);

#endif /* PGHOT_CORE_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH core
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
