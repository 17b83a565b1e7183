// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The thread that scans accessed bits
 *
 * It looks through the page tables of processes, and reports the pages of slow nodes that were
 * accessed since it last looked. It needs neither NUMA balancing nor the kernel's memory tiers.
 *
 * An accessed bit does not tell which CPU used the page. So all pages of a process are reported as
 * used from one fast node: the one that has most of the pages that the process uses.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "core/counter.h"
#include "core/share.h"
#include "core/slow.h"
#include "core/tunable.h"
#include "pghot.h"
#include "policy/policy.h"
#include "sources/accessed/accessed.h"
#include "sources/accessed/trace.h"
#include "sources/sources.h"
#include "testing/inject.h"
#include "wrapper/cputime.h"
#include "wrapper/pagetable.h"

/* How often processes are looked for, and whether they may be scanned, ms. */
#define FIND_PERIOD	500

/* How long to wait if somebody else was changing the address space, ms. */
#define RETRY		20

/* Entries of page tables looked at under one mmap_lock: about a millisecond. */
#define CHUNK		8192

/* A scan goes through so many times its size to find pages, as NUMA balancing does. */
#define SPARSE		8

PGHOT_DECLARE_SOURCE(accessed);
PGHOT_RECORDED(recorded_pgtscans, ACCESSED_BIT);
/* Scans of address spaces, mappings that they looked at, and mapped pages in these. */
PGHOT_COUNTER(accessed_mm_scans);
PGHOT_COUNTER(accessed_vma_scans);
PGHOT_COUNTER(accessed_pages);
/* Tables of PTEs that could be skipped. */
PGHOT_COUNTER(accessed_skipped);
/* Accessed pages of slow nodes; of these, those that were met for the first time. */
PGHOT_COUNTER(accessed_slowtier);
PGHOT_COUNTER(accessed_idlepage);
/* Accessed pages of fast nodes. */
PGHOT_COUNTER(accessed_toptier);
/* Scans that ended because somebody else held the mmap_lock. */
PGHOT_COUNTER(accessed_contended);
/* CPU time of the thread, ns. */
PGHOT_COUNTER(accessed_cpu_ns);

static struct task_struct *thread;
static u64 paid;	/* CPU time of the thread that it has rested for, or owes for, ns */
static u64 owed;	/* rest that it has not taken yet, ns */

/* Sleeps. If the system is to be suspended, the thread is frozen here. */
static void nap(u64 timeout)
{
	u64 start = pghot_clock();

	set_current_state(TASK_IDLE | TASK_FREEZABLE);
	if (!kthread_should_stop())
		schedule_timeout(timeout);
	__set_current_state(TASK_RUNNING);
	try_to_freeze();
	owed -= min(owed, pghot_clock() - start);
}

/* Keeps the thread to its share of a CPU. No lock is held. */
static void rest(void)
{
	u64 worked = pghot_cputime_ns() - paid;

	paid += worked;
	pghot_count(accessed_cpu_ns, worked);
	owed += share_rest_ns(worked, pghot_tunable_get(&pghot_scan_cpu_percent), 1);
	if (owed >= TICK_NSEC)
		nap(nsecs_to_jiffies(owed));
	cond_resched();
	try_to_freeze();
}

/* Picks the fast node whose pages were accessed most; what was before fades. */
static int busiest_node(struct accessed_mm *m)
{
	int nid, best = NUMA_NO_NODE;

	for_each_node_state(nid, N_MEMORY) {
		if (m->used[nid] && (best == NUMA_NO_NODE || m->used[nid] > m->used[best]))
			best = nid;
	}
	for_each_node(nid)
		m->used[nid] >>= 4;
	return best;
}

static void count(const struct accessed_walk *walk)
{
	pghot_count(accessed_mm_scans, 1);
	pghot_count(accessed_vma_scans, walk->vmas);
	pghot_count(accessed_pages, walk->pages);
	pghot_count(accessed_skipped, walk->skipped);
	pghot_count(accessed_slowtier, walk->slow);
	pghot_count(accessed_idlepage, walk->waiting);
	pghot_count(accessed_toptier, walk->fast);
}

/* One scan, cut in pieces. Returns 0 or -errno of pghot_accessed_walk(). */
static int scan_pages(struct accessed_walk *walk, unsigned long nr)
{
	int ret;

	do {
		walk->budget = CHUNK;
		ret = pghot_accessed_walk(walk);
		rest();
	} while (!ret && walk->next && walk->bytes && walk->pages < nr && !kthread_should_stop());
	return ret;
}

/* Begins a pass that knows nothing of the passes before. */
static void forget(struct accessed_mm *m)
{
	m->address = 0;
	m->waits_since = 0;
	m->watched = true;
	m->met_slow = false;
}

/* Ends a pass. An address space without slow memory is left alone until it has some. */
static void end_pass(struct accessed_mm *m)
{
	m->watched = m->met_slow;
	m->waits_since = m->watched ? m->pass_began : 0;
	m->met_slow = false;
}

static void scan(struct accessed_mm *m, unsigned int scale)
{
	unsigned long bytes = (unsigned long)m->tune.size_mb << 20;
	u64 now = pghot_clock(), cost = pghot_cputime_ns();
	u64 began = get_jiffies_64();
	unsigned int wait;
	struct accessed_walk walk = {
		.m = m,
		.since = m->waits_since ? max(m->waits_since, now - min(now, pghot_memory())) : 0,
		.bytes = bytes * SPARSE,
		.next = m->address,
	};
	int ret;

	if (!m->address)
		m->pass_began = now;
	trace_pghot_accessed_scan_start(m->tgid, m->address, m->tune.size_mb);
	ret = scan_pages(&walk, bytes >> PAGE_SHIFT);
	if (walk.cleared)
		pghot_pagetable_forget_cached(m->mm);
	count(&walk);
	m->address = walk.next;
	if (!ret && !walk.next)
		end_pass(m);
	if (ret == -EAGAIN) {
		pghot_count(accessed_contended, 1);
		pghot_accessed_mms_wait(m, get_jiffies_64() + msecs_to_jiffies(RETRY));
	} else if (!walk.vmas) {
		/*
		 * Nothing may be scanned there. That says nothing about what the next scan finds.
		 */
		pghot_accessed_mms_wait(m, get_jiffies_64() + msecs_to_jiffies(FIND_PERIOD));
	} else {
		m->nid = busiest_node(m);
		accessed_tune(&m->tune, walk.slow, pghot_cputime_ns() - cost);
		wait = accessed_wait_ms(&m->tune, scale);
		pghot_accessed_mms_wait(m, began + msecs_to_jiffies(wait));
	}
	trace_pghot_accessed_scan_end(m->tgid, walk.pages, walk.slow, m->tune.period_ms,
				      m->tune.size_mb, m->nid);
}

static int scanner(void *unused)
{
	u64 find = get_jiffies_64(), now, until;
	struct accessed_mm *m;
	unsigned int scale;

	set_freezable();
	paid = pghot_cputime_ns();
	owed = 0;
	while (!kthread_should_stop()) {
		if (nodes_empty(pghot_slow_nodes)) {
			pghot_accessed_mms_free();
			nap(msecs_to_jiffies(FIND_PERIOD));
			continue;
		}
		if (time_after_eq64(get_jiffies_64(), find)) {
			pghot_accessed_mms_find();
			find = get_jiffies_64() + msecs_to_jiffies(FIND_PERIOD);
			rest();
		}
		m = pghot_accessed_mms_first();
		until = m ? min_t(u64, find, m->next.expires) : find;
		now = get_jiffies_64();
		if (time_before64(now, until)) {
			nap(until - now);
			continue;
		}
		if (until == find)
			continue;
		scale = pghot_accessed_scale_of(m->tgid);
		if (scale) {
			scan(m, scale);
		} else {
			forget(m);
			pghot_accessed_mms_wait(m, now + msecs_to_jiffies(FIND_PERIOD));
			rest();
		}
	}
	pghot_accessed_mms_free();
	return 0;
}

/* Returns 0, or why there is nothing that scans. */
static int accessed_start(void)
{
	const char *lacks = pghot_pagetable_lacks();

	if (lacks) {
		pghot_source_unavailable(&pghot_accessed_source, "this kernel lacks %s", lacks);
		return -ENOENT;
	}
	thread = inject_alloc(ERR_PTR(-ENOMEM), kthread_run(scanner, NULL, "pghot_accessed"));
	return PTR_ERR_OR_ZERO(thread);
}

/* On return no address space is held. */
static void accessed_stop(void)
{
	kthread_stop(thread);
}

struct pghot_source pghot_accessed_source = {
	.name = "accessed",
	.title = "accessed bits",
	.bit = ACCESSED_BIT,
	.start = accessed_start,
	.stop = accessed_stop,
	.forget = pghot_accessed_scale_exit,
	.part = {
		.counters = COUNTERS(COUNTER(recorded_pgtscans), COUNTER(accessed_mm_scans),
				     COUNTER(accessed_vma_scans), COUNTER(accessed_pages),
				     COUNTER(accessed_skipped), COUNTER(accessed_slowtier),
				     COUNTER(accessed_idlepage), COUNTER(accessed_toptier),
				     COUNTER(accessed_contended), COUNTER(accessed_cpu_ns)),
		.events = EVENTS(EVENT(pghot_accessed_mm_enter), EVENT(pghot_accessed_mm_exit),
				 EVENT(pghot_accessed_scan_start), EVENT(pghot_accessed_scan_end),
				 EVENT(pghot_accessed_find)),
		.files = TEXTFILES(&pghot_accessed_scale_file),
	},
};
