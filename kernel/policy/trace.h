/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tracepoints of the policy
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_POLICY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_POLICY_TRACE_H

#include <linux/tracepoint.h>

#include "policy/gain.h"
#include "policy/kind.h"

/* For programs that read raw events: what the names in the formats stand for. */
TRACE_DEFINE_ENUM(POLICY_SMALL);
TRACE_DEFINE_ENUM(POLICY_HUGE);
TRACE_DEFINE_ENUM(GAIN_UNKNOWN);
TRACE_DEFINE_ENUM(GAIN_FREE);
TRACE_DEFINE_ENUM(GAIN_SWAP);
TRACE_DEFINE_ENUM(GAIN_NONE);
TRACE_DEFINE_ENUM(GAIN_NO_DEMOTION);

#define show_policy_kind(kind)						\
	__print_symbolic(kind,						\
		{ POLICY_SMALL,		"small" },			\
		{ POLICY_HUGE,		"huge" })

#define show_gain_verdict(verdict)					\
	__print_symbolic(verdict,					\
		{ GAIN_UNKNOWN,		"unknown" },			\
		{ GAIN_FREE,		"promote" },			\
		{ GAIN_SWAP,		"swap" },			\
		{ GAIN_NONE,		"no_gain" },			\
		{ GAIN_NO_DEMOTION,	"no_demotion" })

/*
 * What is done with hot folios of a kind has changed. @hot, @cold: uses in 1000 s of a hot folio
 * of a slow node, and of an idle one of a fast node. @cost_ns: CPU time to move a page.
 * @access_ns: what an access to slow memory takes longer. @horizon_ms: for how long pages are
 * believed to stay hot. @bar: how many times its cost a swap has to gain. @price: how many pages go
 * down in it for one that comes up
 */
TRACE_EVENT(pghot_policy,

	TP_PROTO(int kind, int verdict, const struct gain_question *q),

	TP_ARGS(kind, verdict, q),

	TP_STRUCT__entry(
		__field(int,		kind)
		__field(int,		verdict)
		__field(u64,		hot)
		__field(u64,		cold)
		__field(u64,		cost_ns)
		__field(unsigned int,	access_ns)
		__field(unsigned int,	horizon_ms)
		__field(unsigned int,	bar)
		__field(unsigned int,	price)
	),

	TP_fast_assign(
		__entry->kind = kind;
		__entry->verdict = verdict;
		__entry->hot = q->hot;
		__entry->cold = q->cold;
		__entry->cost_ns = q->cost_ns;
		__entry->access_ns = q->access_ns;
		__entry->horizon_ms = q->horizon_ms;
		__entry->bar = q->bar;
		__entry->price = q->price;
	),

	TP_printk("kind=%s verdict=%s hot=%llu cold=%llu cost_ns=%llu access_ns=%u horizon_ms=%u bar=%u price=%u",
		  show_policy_kind(__entry->kind), show_gain_verdict(__entry->verdict),
		  __entry->hot, __entry->cold, __entry->cost_ns, __entry->access_ns,
		  __entry->horizon_ms, __entry->bar, __entry->price)
);

/*
 * Some memory has been looked at, for folios of a kind. @looked, @used, @found: base pages, of
 * which so many were used within the window, and so many were found hot and worth promoting.
 * @window_us, @percent: the window and the effort of the next look
 */
TRACE_EVENT(pghot_policy_look,

	TP_PROTO(int kind, u64 looked, u64 used, unsigned long found, unsigned int window_us,
		 unsigned int percent),

	TP_ARGS(kind, looked, used, found, window_us, percent),

	TP_STRUCT__entry(
		__field(int,		kind)
		__field(u64,		looked)
		__field(u64,		used)
		__field(unsigned long,	found)
		__field(unsigned int,	window_us)
		__field(unsigned int,	percent)
	),

	TP_fast_assign(
		__entry->kind = kind;
		__entry->looked = looked;
		__entry->used = used;
		__entry->found = found;
		__entry->window_us = window_us;
		__entry->percent = percent;
	),

	TP_printk("kind=%s looked=%llu used=%llu found=%lu window_us=%u percent=%u",
		  show_policy_kind(__entry->kind), __entry->looked, __entry->used,
		  __entry->found, __entry->window_us, __entry->percent)
);

#endif /* PGHOT_POLICY_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH policy
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
