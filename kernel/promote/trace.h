/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of promotion
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_PROMOTE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_PROMOTE_TRACE_H

#include <linux/tracepoint.h>

#include "promote/refusal.h"

/* For programs that read raw events: what the names in the formats stand for. */
TRACE_DEFINE_ENUM(PGHOT_REFUSED_FULL);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_DIRTY);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_PINNED);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_COLD);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_RATE);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_POLICY);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_SHARE);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_CGROUP);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_BOUNCE);

#define show_pghot_refusal(reason)					\
	__print_symbolic(reason,					\
		{ PGHOT_REFUSED_FULL,		"full" },		\
		{ PGHOT_REFUSED_DIRTY,		"dirty" },		\
		{ PGHOT_REFUSED_PINNED,		"pinned" },		\
		{ PGHOT_REFUSED_COLD,		"cold" },		\
		{ PGHOT_REFUSED_RATE,		"rate" },		\
		{ PGHOT_REFUSED_POLICY,		"policy" },		\
		{ PGHOT_REFUSED_SHARE,		"share" },		\
		{ PGHOT_REFUSED_CGROUP,		"cgroup" },		\
		{ PGHOT_REFUSED_BOUNCE,		"bounce" })

/* A ready page was kept back for a later pass. @nid: node of the page */
TRACE_EVENT(pghot_refuse,

	TP_PROTO(unsigned long pfn, int nid, enum pghot_refusal reason),

	TP_ARGS(pfn, nid, reason),

	TP_STRUCT__entry(
		__field(unsigned long,	pfn)
		__field(int,		nid)
		__field(int,		reason)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->nid = nid;
		__entry->reason = reason;
	),

	TP_printk("pfn=0x%lx nid=%d reason=%s",
		  __entry->pfn, __entry->nid, show_pghot_refusal(__entry->reason))
);

/* A batch was promoted. @nr_pages: base pages that moved, of @nr_asked in the batch */
TRACE_EVENT(pghot_promote,

	TP_PROTO(int from, int to, unsigned int nr_pages, unsigned int nr_asked),

	TP_ARGS(from, to, nr_pages, nr_asked),

	TP_STRUCT__entry(
		__field(int,		from)
		__field(int,		to)
		__field(unsigned int,	nr_pages)
		__field(unsigned int,	nr_asked)
	),

	TP_fast_assign(
		__entry->from = from;
		__entry->to = to;
		__entry->nr_pages = nr_pages;
		__entry->nr_asked = nr_asked;
	),

	TP_printk("from=%d to=%d nr_pages=%u nr_asked=%u",
		  __entry->from, __entry->to, __entry->nr_pages, __entry->nr_asked)
);

/*
 * Idle pages were demoted, to make room. @nr_pages: base pages that moved, of @nr_asked that were
 * idle and allowed to
 */
TRACE_EVENT(pghot_demote,

	TP_PROTO(int from, int to, unsigned int nr_pages, unsigned int nr_asked),

	TP_ARGS(from, to, nr_pages, nr_asked),

	TP_STRUCT__entry(
		__field(int,		from)
		__field(int,		to)
		__field(unsigned int,	nr_pages)
		__field(unsigned int,	nr_asked)
	),

	TP_fast_assign(
		__entry->from = from;
		__entry->to = to;
		__entry->nr_pages = nr_pages;
		__entry->nr_asked = nr_asked;
	),

	TP_printk("from=%d to=%d nr_pages=%u nr_asked=%u",
		  __entry->from, __entry->to, __entry->nr_pages, __entry->nr_asked)
);

/* The hot threshold was tuned. @nid: the target node that it is for */
TRACE_EVENT(pghot_threshold,

	TP_PROTO(int nid, unsigned int old_ms, unsigned int new_ms),

	TP_ARGS(nid, old_ms, new_ms),

	TP_STRUCT__entry(
		__field(int,		nid)
		__field(unsigned int,	old_ms)
		__field(unsigned int,	new_ms)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->old_ms = old_ms;
		__entry->new_ms = new_ms;
	),

	TP_printk("nid=%d old_ms=%u new_ms=%u",
		  __entry->nid, __entry->old_ms, __entry->new_ms)
);

#endif /* PGHOT_PROMOTE_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH promote
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
