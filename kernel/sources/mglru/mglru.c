// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Ageing of the multi-gen LRU
 *
 * Ageing walks page tables and clears accessed bits. It makes each folio that had one a member of
 * the youngest generation. The kernel ages when it is short of memory. A
 * thread of this source has it age slow nodes all the time. ftrace tells of each folio that is
 * found, whoever made the kernel look.
 *
 * The folio's idle flag says that an access to it has been waited for, as it does for the
 * accessed-bit scanner. When a page is met for the first time its bit only says that it was
 * accessed since it was mapped.
 */
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/page_idle.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "core/counter.h"
#include "core/slow.h"
#include "core/tunable.h"
#include "pghot.h"
#include "policy/policy.h"
#include "sources/mglru/pause.h"
#include "sources/sources.h"
#include "testing/inject.h"
#include "wrapper/aging.h"
#include "wrapper/cputime.h"
#include "wrapper/divert.h"
#include "wrapper/folio.h"

#define CREATE_TRACE_POINTS
#include "sources/mglru/trace.h"

/* Place in enabled_sources. */
#define MGLRU_BIT		4

PGHOT_DECLARE_SOURCE(mglru);
PGHOT_RECORDED(recorded_mglru, MGLRU_BIT);
/* Rounds of ageing, of all slow nodes, and the CPU time that they took, ns. */
PGHOT_COUNTER(mglru_rounds);
PGHOT_COUNTER(mglru_cpu_ns);

/* A node with fewer mapped pages is left alone, because ageing finds only mapped pages. */
#define AGING_MAPPED	512

static struct task_struct *aging_thread;
static DECLARE_WAIT_QUEUE_HEAD(aging_wait);

/*
 * When the last round of a node began. The accessed bits that are found now were set since then. 0
 * if there was no round just before, so that nobody knows how old the bits are.
 */
static u64 since[MAX_NUMNODES];

/* The thread that makes the rounds. Walks by reclaim have no influence on the pauses. */
static struct task_struct *ager;

/* The thread's round has met a folio; it has met one that an earlier round had met. */
static bool met, again;

/* When the last round began that met a folio again, or the time from which on pauses grow. */
static u64 found;

/*
 * Runs under the page-table lock, which keeps the folio mapped. Whoever walks page tables runs it:
 * the thread of this source, or reclaim, or several of them at once. So it keeps no state of its
 * own about folios. If a folio is in the youngest generation already, this round has met it
 * before, by another of its entries or in another process. It does not count again.
 */
static void notrace mglru_seen(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int nid, youngest, gen;
	struct folio *folio = aging_folio(fregs, &youngest);
	bool ours = current == READ_ONCE(ager);
	u64 begin, now;

	if (!folio || !divert_is_on(ops))
		return;
	nid = pghot_folio_nid(folio);
	if (!pghot_is_slow(nid))
		return;
	begin = READ_ONCE(since[nid]);
	if (ours)
		met = true;
	if (!folio_test_idle(folio)) {
		/* Another of its entries, in another process, would look like a later round. */
		if (!aging_only_marks(folio) || !pghot_folio_maybe_shared(folio))
			folio_set_idle(folio);
		return;
	}
	gen = folio_lru_gen(folio);
	/* A folio on no list has no generation, and cannot be promoted just now. */
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
	.function = AGING_FUNCTION,
	.handler = mglru_seen,
};

/*
 * Has the node enough mapped pages for a round? The answer is approximate, because each CPU adds
 * what it maps to these counts only now and then.
 */
static bool is_mapped(int nid)
{
	const atomic_long_t *state = NODE_DATA(nid)->vm_stat;

	return atomic_long_read(&state[NR_ANON_MAPPED]) +
	       atomic_long_read(&state[NR_FILE_MAPPED]) >= AGING_MAPPED;
}

/* Returns how long to pause, ms. */
static u64 age_slow_nodes(void)
{
	struct aging_round round = { .begin = pghot_clock() };
	u64 start = pghot_cputime_ns(), pause;
	int nid;

	met = false;
	again = false;
	for_each_node_mask(nid, pghot_slow_nodes) {
		bool ran = is_mapped(nid) && pghot_aging_run(nid);

		WRITE_ONCE(since[nid], ran ? round.begin : 0);
		round.aged |= ran;
	}
	round.used = pghot_cputime_ns() - start;
	round.met = met;
	round.again = again;
	pause = aging_pause_ms(&found, &round, pghot_tunable_get(&pghot_scan_cpu_percent));
	if (!round.aged)
		return pause;

	pghot_count(mglru_rounds, 1);
	pghot_count(mglru_cpu_ns, round.used);
	trace_pghot_mglru_round(round.used, again, pause);
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
	.part = {
		.counters = COUNTERS(COUNTER(recorded_mglru), COUNTER(mglru_rounds),
				     COUNTER(mglru_cpu_ns)),
		.events = EVENTS(EVENT(pghot_mglru_round)),
	},
};
