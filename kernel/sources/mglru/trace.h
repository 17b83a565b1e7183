/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of ageing
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_SOURCES_MGLRU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_SOURCES_MGLRU_TRACE_H

#include <linux/tracepoint.h>

/*
 * A round of ageing has ended. @used_ns: CPU time that it took, @again: whether it met what an
 * earlier one had met, @pause_ms: to the next
 */
TRACE_EVENT(pghot_mglru_round,

	TP_PROTO(u64 used_ns, bool again, u64 pause_ms),

	TP_ARGS(used_ns, again, pause_ms),

	TP_STRUCT__entry(
		__field(u64,	used_ns)
		__field(bool,	again)
		__field(u64,	pause_ms)
	),

	TP_fast_assign(
		__entry->used_ns = used_ns;
		__entry->again = again;
		__entry->pause_ms = pause_ms;
	),

	TP_printk("used_ns=%llu again=%d pause_ms=%llu", __entry->used_ns, __entry->again,
		  __entry->pause_ms)
);

#endif /* PGHOT_SOURCES_MGLRU_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH sources/mglru
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
