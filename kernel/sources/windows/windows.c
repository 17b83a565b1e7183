// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The thread that looks at memory slice by slice
 */
#include <linux/cpumask.h>
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/cold.h"
#include "core/counter.h"
#include "core/slow.h"
#include "core/source.h"
#include "core/wait.h"
#include "pghot.h"
#include "policy/policy.h"
#include "sources/processes.h"
#include "sources/sources.h"
#include "sources/windows/windows.h"
#include "testing/inject.h"
#include "wrapper/cputime.h"
#include "wrapper/folio.h"
#include "wrapper/pagetable.h"
#include "wrapper/placement.h"

/*
 * Page tables in a slice: as many as are looked at in this part of a window, so that there is time
 * for others. And limits, and how many of a sample. A look takes some 20 us however few huge pages
 * it looks at, as TLBs are flushed, and 0.1 us for each of them.
 */
#define SLICE_PART	2u
#define SLICE_LEAST	8u
#define SLICE_LEAST_HUGE 32u
#define SLICE_SAMPLE	64u
#define SLICE_MOST	512u
/* What an entry takes before that was measured, ns. */
#define ENTRY_NS	20u
/* Address spaces in a slice. */
#define PIECES		64u
/* How often it is looked what slow nodes hold, ms; fewer base pages are nothing. */
#define LOOK_PERIOD	50u
#define SLOW_MIN	512ul
/* Processes that are younger are left for the next sweep, ms: most do not live that long. */
#define YOUNG		50u
/* No window is late before, us. */
#define LATE_LEAST	250u
/* Longest rest between two slices, ms. */
#define REST_MAX	1000u

PGHOT_RECORDED(recorded_windows, WINDOWS_BIT);
/* Slices, entries of page tables looked at, and CPU time of the thread, ns. */
PGHOT_COUNTER(windows_slices);
PGHOT_COUNTER(windows_entries);
PGHOT_COUNTER(windows_cpu_ns);
/* Looks that were not taken, as somebody was changing the address space. */
PGHOT_COUNTER(windows_contended);
/* Huge pages that were split. */
PGHOT_COUNTER(windows_split);

/**
 * struct pace - how fast entries of page tables are looked at
 * @entries: entries that were looked at lately
 * @ns: CPU time that it took, ns
 */
struct pace {
	u64 entries;
	u64 ns;
};

/**
 * struct windows - the thread's state
 * @at: process that it has come to, referenced
 * @process: its address space and more, if it has not been seen to its end
 * @address: where in it to go on
 * @kind: the kind of folios that this sweep looks at
 * @phase: number of the sample, which says what is in it
 * @pace: how fast page tables of each kind of folios are looked at
 * @slow: base pages mapped on slow nodes, when that was last looked at
 * @reads: pages to be read, by whether on slow nodes
 * @splits: huge pages to be split
 * @hot: pages of slow nodes that are used, of one piece, or of several small ones
 * @cold: pages of fast nodes that are not, likewise
 * @salt: a number of this slice, for choosing at random
 * @look_began: when the last look at the slice began, by pghot_clock()
 * @nr: pieces of the slice
 * @nr_tables: page tables of the slice
 * @piece: the pieces
 * @table: the page tables
 */
struct windows {
	struct task_struct *at;
	struct pghot_process process;
	unsigned long address;
	enum policy_kind kind;
	unsigned int phase;
	struct pace pace[POLICY_KINDS];
	unsigned long slow;
	struct window_reads reads[2];
	struct window_splits splits;
	struct rate_group hot;
	struct rate_group cold;
	unsigned long salt;
	u64 look_began;
	unsigned int nr;
	unsigned int nr_tables;
	struct window_piece piece[PIECES];
	struct window_table table[SLICE_MOST];
};

PGHOT_DECLARE_SOURCE(windows);

static struct task_struct *thread;
static struct windows *windows;

static void nap(unsigned int ms)
{
	set_current_state(TASK_IDLE | TASK_FREEZABLE);
	if (!kthread_should_stop())
		schedule_timeout(msecs_to_jiffies(ms));
	__set_current_state(TASK_RUNNING);
	try_to_freeze();
}

static unsigned long slow_mapped(void)
{
	unsigned long sum = 0;
	int nid;

	for_each_node_mask(nid, pghot_slow_nodes)
		sum += pghot_placement_mapped(nid);
	return sum;
}

/* Looks what slow nodes hold. Returns whether that is much more than it was at the last look. */
static bool has_grown(struct windows *w)
{
	unsigned long was = w->slow;

	w->slow = slow_mapped();
	return w->slow > was + was / 8 + SLOW_MIN;
}

/* Rests until it is time for the next slice. What is new on slow nodes is worth all effort. */
static void rest(struct windows *w, unsigned int ms)
{
	while (!has_grown(w)) {
		/* While there is next to nothing on slow nodes, there is nothing to look for. */
		if (w->slow < SLOW_MIN)
			ms = LOOK_PERIOD;
		if (!ms || kthread_should_stop())
			return;
		nap(min(ms, LOOK_PERIOD));
		ms -= min(ms, LOOK_PERIOD);
	}
	pghot_policy_wake();
}

static void process_end(struct windows *w)
{
	if (w->process.mm)
		mmdrop(w->process.mm);
	w->process.mm = NULL;
	w->address = 0;
}

/* Goes on to the next process. Returns false after the last one. */
static bool process_next(struct windows *w)
{
	unsigned int visited = 0;
	u64 now = pghot_clock();
	int nr;

	do {
		nr = pghot_processes_next(&w->at, &w->process, 1, &visited);
		if (nr == 1 && now - min(now, w->process.started) < YOUNG * NSEC_PER_MSEC) {
			process_end(w);
			nr = 0;
		}
		cond_resched();
	} while (!nr && w->at != &init_task && !kthread_should_stop());
	if (nr == 1)
		return true;
	w->process.mm = NULL;
	return false;
}

static int look_at(struct windows *w, struct window_piece *piece, enum window_step step,
		   unsigned int most, struct policy_look *found, unsigned long *next)
{
	u64 now = pghot_clock();
	struct window_look look = {
		.piece = piece,
		.step = step,
		.kind = w->kind,
		.stride = pghot_policy_stride(w->kind),
		.phase = w->phase,
		.eager = pghot_policy_is_eager(w->kind),
		.next = piece->start,
		.most = most,
		.salt = w->salt,
		.section = ULONG_MAX,
		.offers = pghot_policy_seeks_idle(),
		.reads = w->reads,
		.splits = &w->splits,
		.hot = &w->hot,
		.cold = &w->cold,
		.found = found,
	};
	u64 worked = pghot_cputime_ns();
	int ret = pghot_windows_look(&look);

	if (look.cleared)
		pghot_pagetable_forget_cached(piece->mm);
	piece->looked = now;
	w->pace[w->kind].entries += look.entries;
	w->pace[w->kind].ns += pghot_cputime_ns() - worked;
	pghot_count(windows_entries, look.entries);
	if (ret == -EAGAIN)
		pghot_count(windows_contended, 1);
	*next = look.next;
	return ret;
}

/* How many page tables a slice is to have; a huge page is one with a single entry. */
static unsigned int slice_size(struct windows *w)
{
	u64 part = (u64)pghot_policy_window_us(w->kind) * NSEC_PER_USEC / SLICE_PART;
	bool huge = w->kind == POLICY_HUGE;
	unsigned int per_table = huge ? 1 : PTRS_PER_PTE;
	struct pace *pace = &w->pace[w->kind];

	if (!huge && pghot_policy_stride(w->kind) > 1)
		return SLICE_SAMPLE;
	if (pace->entries >= SLICE_MOST * per_table) {
		pace->entries /= 2;
		pace->ns /= 2;
	}
	return clamp(div64_u64(part * pace->entries, max(pace->ns, 1ull) * per_table),
		     (u64)(huge ? SLICE_LEAST_HUGE : SLICE_LEAST), (u64)SLICE_MOST);
}

/* Makes a slice, and looks at it for the first time. Returns whether a sweep has ended. */
static bool slice_begin(struct windows *w)
{
	unsigned int most = slice_size(w);

	w->nr = 0;
	w->nr_tables = 0;
	w->look_began = pghot_clock();
	while (w->nr < PIECES && w->nr_tables < most && !kthread_should_stop()) {
		struct window_piece *piece = &w->piece[w->nr];
		unsigned long next;
		int ret;

		if (!w->process.mm && !process_next(w))
			return true;
		*piece = (struct window_piece){
			.mm = w->process.mm,
			.bound = w->process.bound,
			.start = w->address,
			.end = ULONG_MAX,
			.table = &w->table[w->nr_tables],
		};
		ret = look_at(w, piece, WINDOW_ARM, most - w->nr_tables, NULL, &next);
		if (!ret && piece->nr_tables) {
			mmgrab(piece->mm);
			piece->end = next ?: ULONG_MAX;
			w->nr++;
			w->nr_tables += piece->nr_tables;
		}
		if (ret || !next)
			process_end(w);
		else
			w->address = next;
	}
	return false;
}

/*
 * Does a window of huge pages tell nothing? If it has taken far longer than asked for, warm ones
 * were used in it, too, and they are many. And if some were moved in it, others look idle that are
 * not.
 */
static bool is_lost(const struct windows *w, const struct window_piece *piece)
{
	u64 us = div_u64(pghot_clock() - piece->looked, NSEC_PER_USEC);

	return w->kind == POLICY_HUGE &&
	       (us > max(2 * pghot_policy_window_us(w->kind), LATE_LEAST) ||
		pghot_policy_is_disturbed(w->kind, piece->looked));
}

/* Looks at all of the slice again, after a window. */
static void slice_look(struct windows *w, enum window_step step, struct policy_look *found)
{
	u64 window = (u64)pghot_policy_window_us(w->kind) * NSEC_PER_USEC, now = pghot_clock(), us;
	unsigned long next;
	unsigned int i;

	/* From the beginning of the last look, as this one looks at all in the same order. */
	us = div_u64(window - min(window, now - w->look_began), NSEC_PER_USEC);
	pghot_wait(us);
	w->look_began = pghot_clock();
	for (i = 0; i < w->nr; i++) {
		struct window_piece *piece = &w->piece[i];

		piece->lost |= is_lost(w, piece);
		/* A lost piece tells nothing. Its last look has reclaim find what was used. */
		if (!piece->lost || step == WINDOW_THIRD)
			piece->lost |= !!look_at(w, piece, step, 0, found, &next);
		rate_end_group(&found->hot, &w->hot);
		rate_end_group(&found->cold, &w->cold);
	}
}

/* How long do accesses take now? */
static void read_some(struct windows *w)
{
	unsigned int slow;

	for (slow = 0; slow < 2; slow++)
		if (w->reads[slow].nr >= WINDOW_READS_MIN)
			pghot_windows_read(slow, &w->reads[slow]);
}

/* Nothing is known of their base pages, which are looked at from the next sweep on. */
static void split_some(struct windows *w)
{
	bool some = false;

	while (w->splits.nr) {
		struct folio *folio = pghot_folio_get(w->splits.pfn[--w->splits.nr]);

		if (!folio)
			continue;
		if (folio_nr_pages(folio) == HPAGE_PMD_NR && !pghot_folio_maybe_shared(folio) &&
		    pghot_folio_split(folio)) {
			pghot_count(windows_split, 1);
			some = true;
		}
		folio_put(folio);
	}
	if (some)
		pghot_policy_wake();
}

static void slice_end(struct windows *w)
{
	while (w->nr)
		mmdrop(w->piece[--w->nr].mm);
}

/* Waits while huge pages are swapped, if it is huge pages that are to be looked at. */
static void wait_for_moves(const struct windows *w)
{
	while (w->kind == POLICY_HUGE && !kthread_should_stop() &&
	       pghot_policy_is_disturbed(w->kind, pghot_clock()))
		nap(1);
}

/* Can as much be demoted as a huge page has? */
static bool knows_idle(void)
{
	unsigned int sum = 0;
	int nid;

	for_each_node_state(nid, N_MEMORY)
		if (!pghot_is_slow(nid))
			sum += pghot_cold_pages(nid, false) + pghot_cold_pages(nid, true);
	return sum >= HPAGE_PMD_NR;
}

/* Returns how long to rest after it, ms. */
static unsigned int slice(struct windows *w)
{
	u64 worked = pghot_cputime_ns(), began = pghot_clock(), all;
	struct policy_look found = { .kind = w->kind };

	memset(w->reads, 0, sizeof(w->reads));
	w->splits.wanted[false] = pghot_policy_splits(false) && !knows_idle();
	w->splits.wanted[true] = pghot_policy_splits(true);
	w->salt = get_random_long();
	found.sweep_ended = slice_begin(w);
	if (w->nr) {
		slice_look(w, WINDOW_FIRST, &found);
		slice_look(w, WINDOW_SECOND, &found);
		slice_look(w, WINDOW_THIRD, &found);
	}
	slice_end(w);
	read_some(w);
	split_some(w);
	worked = pghot_cputime_ns() - worked;
	found.cpu_ns = worked;
	pghot_policy_looked(&found);
	if (found.sweep_ended) {
		/* Pages of one kind tell nothing of those of another one. */
		w->hot = (struct rate_group){ };
		w->cold = (struct rate_group){ };
		w->kind = (w->kind + 1) % POLICY_KINDS;
		w->phase += w->kind == POLICY_SMALL;
	}
	pghot_count(windows_slices, 1);
	pghot_count(windows_cpu_ns, worked);
	/* What was slept in the windows is rest, too. */
	all = worked * 100 / pghot_policy_percent();
	return min(div_u64(all - min(all, pghot_clock() - began), NSEC_PER_MSEC), REST_MAX);
}

static int windows_thread(void *arg)
{
	struct windows *w = arg;
	int kind;

	set_freezable();
	w->at = get_task_struct(&init_task);
	for (kind = 0; kind < POLICY_KINDS; kind++)
		w->pace[kind] = (struct pace){ .entries = 1, .ns = ENTRY_NS };
	while (!kthread_should_stop()) {
		wait_for_moves(w);
		rest(w, slice(w));
		cond_resched();
		try_to_freeze();
	}
	process_end(w);
	put_task_struct(w->at);
	return 0;
}

/* Returns 0, or why there is nothing that looks. */
static int windows_start(void)
{
	const char *lacks = pghot_pagetable_lacks();

	if (lacks) {
		pghot_source_unavailable(&pghot_windows_source, "this kernel lacks %s", lacks);
		return -ENOENT;
	}
	windows = inject_alloc(NULL, kvzalloc(sizeof(*windows), GFP_KERNEL));
	if (!windows)
		return -ENOMEM;
	thread = inject_alloc(ERR_PTR(-ENOMEM),
			      kthread_run(windows_thread, windows, "pghot_windows"));
	if (IS_ERR(thread)) {
		kvfree(windows);
		return PTR_ERR(thread);
	}
	return 0;
}

/* On return no address space is held. */
static void windows_stop(void)
{
	kthread_stop(thread);
	kvfree(windows);
}

struct pghot_source pghot_windows_source = {
	.name = "windows",
	.title = "accessed bits in short windows",
	.bit = WINDOWS_BIT,
	.wanted = pghot_source_always,
	.start = windows_start,
	.stop = windows_stop,
	.part.counters = COUNTERS(COUNTER(recorded_windows), COUNTER(windows_slices),
				  COUNTER(windows_entries), COUNTER(windows_cpu_ns),
				  COUNTER(windows_contended), COUNTER(windows_split)),
};
