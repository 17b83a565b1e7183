// SPDX-License-Identifier: GPL-2.0
/*
 * The accessed-bit scanner: one thread that looks through the page tables of processes,
 * and reports the pages of slow nodes that were accessed since it looked last. It needs
 * neither NUMA balancing nor the kernel's memory tiers.
 *
 * What was used from which CPU the bits do not tell. A process' pages are said to be used
 * from the fast node that has most of the pages that it uses.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "../inject.h"
#include "../pghot.h"
#include "../stats.h"
#include "../tiers.h"
#include "../trace.h"
#include "../tunables.h"
#include "../wrapper/cputime.h"
#include "../wrapper/pagetable.h"
#include "accessed.h"
#include "share.h"
#include "sources.h"

/* How often processes are looked for, and whether they may be scanned, ms. */
#define FIND_PERIOD	500

/* After somebody else was changing the address space, ms. */
#define RETRY		20

/* Entries of page tables looked at under one mmap_lock: about a millisecond. */
#define CHUNK		8192

/* A scan goes through so many times its size to find pages, as NUMA balancing does. */
#define SPARSE		8

static struct task_struct *thread;
static u64 paid;	/* CPU time of the thread that it has rested for, or owes for, ns */
static u64 owed;	/* rest that it has not taken yet, ns */

/* Also frozen, if the system is to be suspended. */
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
	u64 worked = cputime_ns() - paid;

	paid += worked;
	stats_add(STAT_ACCESSED_CPU_NS, worked);
	owed += share_rest_ns(worked, READ_ONCE(pghot_scan_cpu_percent), 1);
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
	stats_add(STAT_ACCESSED_MM_SCANS, 1);
	stats_add(STAT_ACCESSED_VMA_SCANS, walk->vmas);
	stats_add(STAT_ACCESSED_PAGES, walk->pages);
	stats_add(STAT_ACCESSED_SKIPPED, walk->skipped);
	stats_add(STAT_ACCESSED_SLOWTIER, walk->slow);
	stats_add(STAT_ACCESSED_IDLEPAGE, walk->waiting);
	stats_add(STAT_ACCESSED_TOPTIER, walk->fast);
}

/* One scan, cut in pieces. Returns 0 or -errno of accessed_walk(). */
static int scan_pages(struct accessed_walk *walk, unsigned long nr)
{
	int ret;

	do {
		walk->budget = CHUNK;
		ret = accessed_walk(walk);
		rest();
	} while (!ret && walk->next && walk->bytes && walk->pages < nr && !kthread_should_stop());
	return ret;
}

/* A pass begins that knows nothing of those before. */
static void forget(struct accessed_mm *m)
{
	m->address = 0;
	m->waits_since = 0;
	m->watched = true;
	m->met_slow = false;
}

/* All of it has been seen. Without slow memory it is left alone until there is some. */
static void end_pass(struct accessed_mm *m)
{
	m->watched = m->met_slow;
	m->waits_since = m->watched ? m->pass_began : 0;
	m->met_slow = false;
}

static void scan(struct accessed_mm *m, unsigned int scale)
{
	unsigned long bytes = (unsigned long)m->tune.size_mb << 20;
	u64 now = pghot_clock(), cost = cputime_ns();
	u64 began = get_jiffies_64();
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
		pagetable_forget_cached(m->mm);
	count(&walk);
	m->address = walk.next;
	if (!ret && !walk.next)
		end_pass(m);
	if (ret == -EAGAIN) {
		stats_inc(STAT_ACCESSED_CONTENDED);
		accessed_mms_wait(m, get_jiffies_64() + msecs_to_jiffies(RETRY));
	} else if (!walk.vmas) {
		/* Nothing that may be scanned: no scan, and no sign of what the next will find. */
		accessed_mms_wait(m, get_jiffies_64() + msecs_to_jiffies(FIND_PERIOD));
	} else {
		m->nid = busiest_node(m);
		accessed_tune(&m->tune, walk.slow, cputime_ns() - cost);
		accessed_mms_wait(m, began + msecs_to_jiffies(accessed_wait_ms(&m->tune, scale)));
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
	paid = cputime_ns();
	owed = 0;
	while (!kthread_should_stop()) {
		if (nodes_empty(pghot_slow_nodes)) {
			accessed_mms_free();
			nap(msecs_to_jiffies(FIND_PERIOD));
			continue;
		}
		if (time_after_eq64(get_jiffies_64(), find)) {
			accessed_mms_find();
			find = get_jiffies_64() + msecs_to_jiffies(FIND_PERIOD);
			rest();
		}
		m = accessed_mms_first();
		until = m ? min_t(u64, find, m->next.expires) : find;
		now = get_jiffies_64();
		if (time_before64(now, until)) {
			nap(until - now);
			continue;
		}
		if (until == find)
			continue;
		scale = accessed_scale_of(m->tgid);
		if (scale) {
			scan(m, scale);
		} else {
			forget(m);
			accessed_mms_wait(m, now + msecs_to_jiffies(FIND_PERIOD));
			rest();
		}
	}
	accessed_mms_free();
	return 0;
}

/**
 * accessed_start() - scan accessed bits
 *
 * Process context, sleeps.
 *
 * Return: 0; -ENOENT, with a line in the log, if this kernel lacks what is needed; -errno
 * if there can be no thread.
 */
int accessed_start(void)
{
	const char *lacks = pagetable_lacks();

	if (lacks) {
		pr_err("pghot: accessed bits: not available, because this kernel lacks %s\n",
		       lacks);
		return -ENOENT;
	}
	thread = inject_alloc(ERR_PTR(-ENOMEM), kthread_run(scanner, NULL, "pghot_accessed"));
	return PTR_ERR_OR_ZERO(thread);
}

/**
 * accessed_stop() - scan no more
 *
 * Process context, sleeps. On return no address space is held.
 */
void accessed_stop(void)
{
	kthread_stop(thread);
}
