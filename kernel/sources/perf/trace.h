/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of performance counters
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_SOURCES_PERF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_SOURCES_PERF_TRACE_H

#include <linux/tracepoint.h>

#include "sources/perf/served.h"

TRACE_DEFINE_ENUM(PERF_SERVED_UNKNOWN);
TRACE_DEFINE_ENUM(PERF_SERVED_DRAM);
TRACE_DEFINE_ENUM(PERF_SERVED_REMOTE);
TRACE_DEFINE_ENUM(PERF_SERVED_EXTENDED);

#define show_perf_served(served)					\
	__print_symbolic(served,					\
		{ PERF_SERVED_UNKNOWN,		"unknown" },		\
		{ PERF_SERVED_DRAM,		"dram" },		\
		{ PERF_SERVED_REMOTE,		"remote" },		\
		{ PERF_SERVED_EXTENDED,		"extended" })

/* A counter sampled an access that counts. @served: who served it, as far as is known */
TRACE_EVENT(pghot_perf_sample,

	TP_PROTO(unsigned long pfn, enum perf_served served),

	TP_ARGS(pfn, served),

	TP_STRUCT__entry(
		__field(unsigned long,	pfn)
		__field(int,		served)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->served = served;
	),

	TP_printk("pfn=0x%lx served=%s", __entry->pfn, show_perf_served(__entry->served))
);

/* A counter's sampling period was tuned, in events. @cpu: whose counter */
TRACE_EVENT(pghot_perf_period,

	TP_PROTO(unsigned int cpu, u32 old_period, u32 new_period),

	TP_ARGS(cpu, old_period, new_period),

	TP_STRUCT__entry(
		__field(unsigned int,	cpu)
		__field(u32,		old_period)
		__field(u32,		new_period)
	),

	TP_fast_assign(
		__entry->cpu = cpu;
		__entry->old_period = old_period;
		__entry->new_period = new_period;
	),

	TP_printk("cpu=%u old_period=%u new_period=%u",
		  __entry->cpu, __entry->old_period, __entry->new_period)
);

#endif /* PGHOT_SOURCES_PERF_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH sources/perf
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
