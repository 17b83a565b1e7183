/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the core: /sys/kernel/tracing/events/pghot/. One that is off costs a nop.
 *
 * Pages are named by the PFN that their record goes by, a large folio by its head.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_CORE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_CORE_TRACE_H

#include <linux/tracepoint.h>

#include "core/source.h"

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
