/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: /sys/kernel/tracing/events/pghot/. One that is off costs a nop.
 *
 * Pages are named by the PFN that their record goes by, a large folio by its head.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pghot

#if !defined(PGHOT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PGHOT_TRACE_H

#include <linux/tracepoint.h>

#include "pghot.h"
#include "refuse.h"
#include "sources/perf_mem.h"

struct mprof_sample;

/* For programs that read raw events: what the names in the formats stand for. */
TRACE_DEFINE_ENUM(PGHOT_SRC_HINTFAULTS);
TRACE_DEFINE_ENUM(PGHOT_SRC_HWHINTS);
TRACE_DEFINE_ENUM(PGHOT_SRC_ACCESSED);
TRACE_DEFINE_ENUM(PGHOT_SRC_PAGECACHE);
TRACE_DEFINE_ENUM(PGHOT_SRC_MGLRU);
TRACE_DEFINE_ENUM(PGHOT_SRC_PERF);
TRACE_DEFINE_ENUM(PGHOT_SRC_MPROF);
TRACE_DEFINE_ENUM(PGHOT_SRC_CHMU);
TRACE_DEFINE_ENUM(PGHOT_SRC_VHMU);
TRACE_DEFINE_ENUM(PERF_SERVED_UNKNOWN);
TRACE_DEFINE_ENUM(PERF_SERVED_DRAM);
TRACE_DEFINE_ENUM(PERF_SERVED_REMOTE);
TRACE_DEFINE_ENUM(PERF_SERVED_EXTENDED);
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
TRACE_DEFINE_ENUM(PGHOT_REFUSED_FULL);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_DIRTY);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_PINNED);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_COLD);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_RATE);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_POLICY);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_SHARE);
TRACE_DEFINE_ENUM(PGHOT_REFUSED_CGROUP);

#define show_pghot_src(src)						\
	__print_symbolic(src,						\
		{ PGHOT_SRC_HINTFAULTS,		"hintfaults" },		\
		{ PGHOT_SRC_HWHINTS,		"hwhints" },		\
		{ PGHOT_SRC_ACCESSED,		"accessed" },		\
		{ PGHOT_SRC_PAGECACHE,		"pagecache" },		\
		{ PGHOT_SRC_MGLRU,		"mglru" },		\
		{ PGHOT_SRC_PERF,		"perf" },		\
		{ PGHOT_SRC_MPROF,		"mprof" },		\
		{ PGHOT_SRC_CHMU,		"chmu" },		\
		{ PGHOT_SRC_VHMU,		"vhmu" })

#define show_perf_served(served)					\
	__print_symbolic(served,					\
		{ PERF_SERVED_UNKNOWN,		"unknown" },		\
		{ PERF_SERVED_DRAM,		"dram" },		\
		{ PERF_SERVED_REMOTE,		"remote" },		\
		{ PERF_SERVED_EXTENDED,		"extended" })

#define show_pghot_refusal(reason)					\
	__print_symbolic(reason,					\
		{ PGHOT_REFUSED_FULL,		"full" },		\
		{ PGHOT_REFUSED_DIRTY,		"dirty" },		\
		{ PGHOT_REFUSED_PINNED,		"pinned" },		\
		{ PGHOT_REFUSED_COLD,		"cold" },		\
		{ PGHOT_REFUSED_RATE,		"rate" },		\
		{ PGHOT_REFUSED_POLICY,		"policy" },		\
		{ PGHOT_REFUSED_SHARE,		"share" },		\
		{ PGHOT_REFUSED_CGROUP,		"cgroup" })

/* An access reached a record. @nid: the accessing node, -1 if unknown */
TRACE_EVENT(pghot_record,

	TP_PROTO(unsigned long pfn, int nid, enum pghot_src src, unsigned int freq, bool ready),

	TP_ARGS(pfn, nid, src, freq, ready),

	TP_STRUCT__entry(
		__field(unsigned long,	pfn)
		__field(int,		nid)
		__field(int,		src)
		__field(unsigned int,	freq)
		__field(bool,		ready)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->nid = nid;
		__entry->src = src;
		__entry->freq = freq;
		__entry->ready = ready;
	),

	TP_printk("pfn=0x%lx nid=%d src=%s freq=%u ready=%d",
		  __entry->pfn, __entry->nid, show_pghot_src(__entry->src), __entry->freq,
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

#endif /* PGHOT_TRACE_H */

/* This header is read once more for each part of a tracepoint, from here. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
