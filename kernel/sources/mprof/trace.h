/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of AMD's memory profiler
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_SOURCES_MPROF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_SOURCES_MPROF_TRACE_H

#include <linux/tracepoint.h>

#include "sources/mprof/regs.h"

TRACE_DEFINE_ENUM(MPROF_UNKNOWN);
TRACE_DEFINE_ENUM(MPROF_LOCAL_CCX);
TRACE_DEFINE_ENUM(MPROF_NEAR_CCX);
TRACE_DEFINE_ENUM(MPROF_DRAM);
TRACE_DEFINE_ENUM(MPROF_FAR_CCX);
TRACE_DEFINE_ENUM(MPROF_PMEM);
TRACE_DEFINE_ENUM(MPROF_IO);
TRACE_DEFINE_ENUM(MPROF_EXT_MEM);
TRACE_DEFINE_ENUM(MPROF_PEER_MEM);
TRACE_DEFINE_ENUM(MPROF_LOCAL);
TRACE_DEFINE_ENUM(MPROF_REMOTE_NODE);
TRACE_DEFINE_ENUM(MPROF_REMOTE_SOCKET);
TRACE_DEFINE_ENUM(MPROF_RECORD);
TRACE_DEFINE_ENUM(MPROF_NO_ACCESS);
TRACE_DEFINE_ENUM(MPROF_CACHED);
TRACE_DEFINE_ENUM(MPROF_DEVICE);
TRACE_DEFINE_ENUM(MPROF_NO_ADDRESS);
TRACE_DEFINE_ENUM(MPROF_KERNEL);

#define show_mprof_op(op)						\
	__print_flags(op, "|",						\
		{ 1, "load" }, { 2, "store" }, { 4, "prefetch" })

#define show_mprof_source(source)					\
	__print_symbolic(source,					\
		{ MPROF_UNKNOWN,	"unknown" },			\
		{ MPROF_LOCAL_CCX,	"local_ccx" },			\
		{ MPROF_NEAR_CCX,	"near_ccx" },			\
		{ MPROF_DRAM,		"dram" },			\
		{ MPROF_FAR_CCX,	"far_ccx" },			\
		{ MPROF_PMEM,		"pmem" },			\
		{ MPROF_IO,		"io" },				\
		{ MPROF_EXT_MEM,	"ext_mem" },			\
		{ MPROF_PEER_MEM,	"peer_mem" })

#define show_mprof_distance(distance)					\
	__print_symbolic(distance,					\
		{ MPROF_LOCAL,		"local" },			\
		{ MPROF_REMOTE_NODE,	"node" },			\
		{ MPROF_REMOTE_SOCKET,	"socket" })

#define show_mprof_verdict(verdict)					\
	__print_symbolic(verdict,					\
		{ MPROF_RECORD,		"record" },			\
		{ MPROF_NO_ACCESS,	"no_access" },			\
		{ MPROF_CACHED,		"cached" },			\
		{ MPROF_DEVICE,		"device" },			\
		{ MPROF_NO_ADDRESS,	"no_address" },			\
		{ MPROF_KERNEL,		"kernel" })

/* AMD's memory profiler took a sample. @pfn: 0 if unknown; @verdict: enum mprof_verdict */
TRACE_EVENT(pghot_mprof_sample,

	TP_PROTO(unsigned long pfn, const struct mprof_sample *sample, int verdict),

	TP_ARGS(pfn, sample, verdict),

	TP_STRUCT__entry(
		__field(unsigned long,	pfn)
		__field(int,		op)
		__field(int,		source)
		__field(int,		distance)
		__field(int,		verdict)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->op = sample->load | sample->store << 1 | sample->prefetch << 2;
		__entry->source = sample->source;
		__entry->distance = sample->distance;
		__entry->verdict = verdict;
	),

	TP_printk("pfn=0x%lx op=%s source=%s distance=%s verdict=%s",
		  __entry->pfn, show_mprof_op(__entry->op), show_mprof_source(__entry->source),
		  show_mprof_distance(__entry->distance), show_mprof_verdict(__entry->verdict))
);

#endif /* PGHOT_SOURCES_MPROF_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH sources/mprof
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
