// SPDX-License-Identifier: GPL-2.0
/*
 * The multi-gen LRU's ageing.
 *
 * Ageing walks page tables, clears accessed bits, and makes each folio that had one a
 * member of the youngest generation, by folio_update_gen(). The kernel ages when it is
 * short of memory; a thread has it age slow nodes all the time. ftrace tells of each
 * folio that is found, whoever had the kernel look.
 *
 * The folio's idle flag tells that an access has been waited for, as it does for the
 * accessed-bit scanner: of a page that is met for the first time the bit says only that
 * it was accessed since it was mapped.
 */
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/page_idle.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "core/counter.h"
#include "core/share.h"
#include "core/slow.h"
#include "core/tunable.h"
#include "pghot.h"
#include "sources/sources.h"
#include "testing/inject.h"
#include "wrapper/aging.h"
#include "wrapper/cputime.h"
#include "wrapper/divert.h"

#define CREATE_TRACE_POINTS
#include "sources/mglru/trace.h"

/* Place in enabled_sources. */
#define MGLRU_BIT		4

PGHOT_RECORDED(recorded_mglru, MGLRU_BIT);
/* Rounds of ageing, of all slow nodes, and the CPU time that they took, ns. */
PGHOT_COUNTER(mglru_rounds);
PGHOT_COUNTER(mglru_cpu_ns);

/*
 * Between two rounds of ageing, ms: at least, and at most; in between it is an eighth of
 * the time since a round found something to report. What is in no use makes a round dear:
 * the kernel moves each folio of the oldest generation on to the next.
 */
#define AGING_PAUSE_MIN		200
#define AGING_PAUSE_MAX		4000
#define AGING_PAUSE_PART	8
/* After a round that met something new. */
#define AGING_PAUSE_NEW		500
/*
 * After a round that met nothing again: so many times as long as it took, however long that is.
 * With much memory that nobody uses, it has held up reclaim and others for nothing: the kernel
 * moves up to 4096 folios with interrupts off each time that it takes the list's lock.
 */
#define AGING_EMPTY_REST	8
/* A node with less is left alone, pages: what is not mapped, ageing cannot find. */
#define AGING_MAPPED	512

static struct task_struct *aging_thread;
static DECLARE_WAIT_QUEUE_HEAD(aging_wait);

/*
 * When the last round of a node began: the accessed bits that are found now have been set
 * since then. 0 if there was none just before, so that nobody knows how old they are.
 */
static u64 since[MAX_NUMNODES];

/* The thread whose walks make the rounds; those of reclaim do not steer the pauses. */
static struct task_struct *ager;

/* Whether the thread's round has met a folio, and one that was met in a round before. */
static bool met, again;

/* When the last round began that did, or from when on pauses grow. */
static u64 found;

/*
 * Runs under the page-table lock, which keeps the folio mapped, in whoever walks: our thread,
 * reclaim's, or all of them at once. So it remembers nothing of its own: a folio that is a
 * member of the youngest generation already was met in this round, by another of its entries
 * or in another process, and does not count again.
 */
static void notrace mglru_seen(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)divert_arg(fregs, 0);
	int nid = folio_nid(folio), youngest = (int)divert_arg(fregs, 1), gen;
	u64 begin = READ_ONCE(since[nid]), now;
	bool ours = current == READ_ONCE(ager);

	if (!divert_is_on(ops) || !pghot_is_slow(nid))
		return;
	if (ours)
		met = true;
	if (!folio_test_idle(folio)) {
		folio_set_idle(folio);
		return;
	}
	gen = folio_lru_gen(folio);
	/* One that is on no list is of no generation, and cannot be promoted just now. */
	if (gen < 0 || gen == youngest)
		return;
	if (ours)
		again = true;
	if (!begin)
		return;
	now = pghot_clock();
	pghot_record_folio(folio, NUMA_NO_NODE, MGLRU_BIT,
			   now - min(now - begin, pghot_memory()));
}

static struct divert mglru_watch = {
	.function = "folio_update_gen",
	.handler = mglru_seen,
};

/* Has the node enough for a round? Nearly: CPUs tell of what they map now and then. */
static bool is_mapped(int nid)
{
	const atomic_long_t *state = NODE_DATA(nid)->vm_stat;

	return atomic_long_read(&state[NR_ANON_MAPPED]) +
	       atomic_long_read(&state[NR_FILE_MAPPED]) >= AGING_MAPPED;
}

/* How long to pause after a round that began then, by what it met, ms. */
static u64 pause_after(u64 begin, bool aged)
{
	const u64 fresh = min(begin, (u64)AGING_PAUSE_PART * AGING_PAUSE_NEW * NSEC_PER_MSEC);

	if (again)
		found = begin;
	else if (!aged || met)
		found = max(found, begin - fresh);
	return clamp(div_u64(begin - found, AGING_PAUSE_PART * NSEC_PER_MSEC), AGING_PAUSE_MIN,
		     AGING_PAUSE_MAX);
}

/* Returns how long to pause, ms. */
static u64 age_slow_nodes(void)
{
	u64 begin = pghot_clock(), used = pghot_cputime_ns(), pause, rest;
	bool aged = false;
	int nid;

	met = false;
	again = false;
	for_each_node_mask(nid, pghot_slow_nodes) {
		bool ran = is_mapped(nid) && pghot_aging_run(nid);

		WRITE_ONCE(since[nid], ran ? begin : 0);
		aged |= ran;
	}
	pause = pause_after(begin, aged);
	if (!aged)
		return pause;

	used = pghot_cputime_ns() - used;
	pghot_count(mglru_rounds, 1);
	pghot_count(mglru_cpu_ns, used);
	rest = share_rest_ns(used, pghot_tunable_get(&pghot_scan_cpu_percent), 1);
	pause = max(pause, div_u64(rest, NSEC_PER_MSEC));
	if (!again)
		pause = max(pause, div_u64(used * AGING_EMPTY_REST, NSEC_PER_MSEC));
	trace_pghot_mglru_round(used, again, pause);
	return pause;
}

static int mglru(void *unused)
{
	set_freezable();
	WRITE_ONCE(ager, current);
	while (!kthread_should_stop()) {
		u64 pause = age_slow_nodes();

		wait_event_freezable_timeout(aging_wait, kthread_should_stop(),
					     msecs_to_jiffies(pause));
		try_to_freeze();
	}
	WRITE_ONCE(ager, NULL);
	return 0;
}

/* Returns 0, or why slow nodes cannot be aged. */
static int mglru_start(void)
{
	const char *lacks = pghot_aging_lacks();
	int ret;

	if (lacks) {
		pghot_source_unavailable(&pghot_mglru_source, "%s", lacks);
		return -EOPNOTSUPP;
	}
	memset(since, 0, sizeof(since));
	found = 0;
	ret = pghot_source_watch(&pghot_mglru_source, &mglru_watch);
	if (ret)
		return ret;
	aging_thread = inject_alloc(ERR_PTR(-ENOMEM), kthread_run(mglru, NULL, "pghot_mglru"));
	if (IS_ERR(aging_thread)) {
		pghot_watch_stop(&mglru_watch);
		return PTR_ERR(aging_thread);
	}
	return 0;
}

/* A walk on its way is finished. */
static void mglru_stop(void)
{
	kthread_stop(aging_thread);
	pghot_watch_stop(&mglru_watch);
}

struct pghot_source pghot_mglru_source = {
	.name = "mglru",
	.title = "multi-gen LRU",
	.bit = MGLRU_BIT,
	.start = mglru_start,
	.stop = mglru_stop,
	.part.counters = COUNTERS(COUNTER(recorded_mglru), COUNTER(mglru_rounds),
				  COUNTER(mglru_cpu_ns)),
};
