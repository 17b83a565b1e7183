// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/kthread.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "hotmap.h"
#include "kmigrated.h"
#include "pghot.h"
#include "promote.h"
#include "stats.h"
#include "target.h"
#include "tunables.h"

/* Longest pause between two passes that promote nothing, ms. */
#define BACKOFF_MAX	1000u

#define READY_WORD	(PGHOT_READY * 0x0101010101010101ull)

/**
 * struct pass - one look at what is ready on a node
 * @node: the node
 * @promoter: where isolated folios go
 * @refused: some ready record was kept for a later pass
 * @full: no target had room for a base page: nothing more can be promoted
 */
struct pass {
	struct hot_node *node;
	struct promoter promoter;
	bool refused;
	bool full;
};

enum verdict {
	DROP,	/* the record says nothing any more */
	KEEP,	/* not now: the record stays, ready */
	TAKEN,	/* isolated */
};

/* @folio is referenced; @pfn was recorded as its head. */
static enum verdict take_folio(struct pass *pass, struct folio *folio, unsigned long pfn,
			       int accessor, int *nid)
{
	struct hot_node *node = pass->node;
	unsigned int nr = folio_nr_pages(folio);

	/* Freed and in use again, as something else, since it was recorded. */
	if (folio_pfn(folio) != pfn || folio_nid(folio) != node->nid)
		return DROP;
	/* On its way to a list, or just off it. */
	if (!folio_test_lru(folio))
		return KEEP;

	*nid = target_pick(node->nid, accessor, nr);
	if (*nid == NUMA_NO_NODE) {
		stats_node_add(node->nid, NODE_STAT_REFUSED_FULL, nr);
		pass->full = nr == 1;
		return KEEP;
	}
	return promote_isolate(folio) ? TAKEN : KEEP;
}

static enum verdict promote_pfn(struct pass *pass, unsigned long pfn, int accessor)
{
	struct page *page = pfn_to_online_page(pfn);
	enum verdict verdict = DROP;
	struct folio *folio;
	int nid;

	if (!page)
		return DROP;
	folio = page_folio(page);
	if (!folio_try_get(folio))
		return DROP;
	if (folio == page_folio(page))
		verdict = take_folio(pass, folio, pfn, accessor, &nid);
	/* Isolated, it is held by the list's reference; one more would keep it here. */
	folio_put(folio);
	if (verdict == TAKEN)
		promote_add(&pass->promoter, folio, nid);
	return verdict;
}

/* Returns true if a ready record stays. */
static bool scan_record(struct pass *pass, struct hot_section *section, unsigned long start,
			unsigned int index)
{
	unsigned int line = index / PGHOT_LINE;
	int accessor = READ_ONCE(section->accessor[line]);
	u32 now;
	u8 old;

	/* For each record anew: promotion sleeps. */
	now = hotmap_line_exact(section, line, pghot_bucket(pghot_clock()));
	old = READ_ONCE(section->rec[index]);
	if (!pghot_rec_ready(old))
		return false;
	if (pghot_rec_age(old, now) > READ_ONCE(pghot_window)) {
		stats_node_add(pass->node->nid, NODE_STAT_EXPIRED, 1);
		cmpxchg(&section->rec[index], old, 0);
		return false;
	}
	if (pass->full)
		return true;

	switch (promote_pfn(pass, start + index, accessor)) {
	case KEEP:
		return true;
	case TAKEN:
		xchg(&section->rec[index], 0);
		return false;
	case DROP:
	default:
		cmpxchg(&section->rec[index], old, 0);
		return false;
	}
}

/* Returns true if a ready record stays in the line. */
static bool scan_line(struct pass *pass, struct hot_section *section, unsigned long start,
		      unsigned int line)
{
	unsigned int index = line * PGHOT_LINE, end = index + PGHOT_LINE;
	bool kept = false;

	for (; index < end; index += sizeof(u64)) {
		u64 ready = READ_ONCE(*(u64 *)&section->rec[index]) & READY_WORD;

		for (; ready; ready &= ready - 1)
			kept |= scan_record(pass, section, start, index + __ffs64(ready) / 8);
	}
	return kept;
}

static void scan_section(struct pass *pass, unsigned long nr)
{
	struct hot_section *section = pass->node->sections[nr];
	unsigned long start = section_nr_to_pfn(pass->node->first + nr);
	bool kept = false;
	unsigned long line;

	for_each_set_bit(line, section->ready, HOT_LINES) {
		if (!test_and_clear_bit(line, section->ready))
			continue;
		if (scan_line(pass, section, start, line)) {
			set_bit(line, section->ready);
			kept = true;
		}
		cond_resched();
	}
	if (kept) {
		set_bit(nr, pass->node->ready);
		pass->refused = true;
	}
}

/*
 * Costs what is ready: one bit for each section, then only lines with ready records.
 * Returns the number of base pages promoted.
 */
static unsigned int scan_node(struct pass *pass)
{
	unsigned long nr;

	stats_node_add(pass->node->nid, NODE_STAT_PASSES, 1);
	for_each_set_bit(nr, pass->node->ready, pass->node->nr) {
		if (test_and_clear_bit(nr, pass->node->ready))
			scan_section(pass, nr);
	}
	return promoter_finish(&pass->promoter);
}

static int kmigrated(void *arg)
{
	struct pass *pass = arg;
	struct hot_node *node = pass->node;
	unsigned int pause = READ_ONCE(pghot_kmigrated_sleep_ms), promoted;

	while (!kthread_should_stop()) {
		wait_event_idle(node->wait, atomic_read(&node->pending) || kthread_should_stop());
		/* Let ready pages gather: a batch costs less than its pages would. */
		wait_event_idle_timeout(node->wait, kthread_should_stop(), msecs_to_jiffies(pause));
		if (kthread_should_stop())
			break;

		atomic_xchg(&node->pending, 0);
		pass->refused = false;
		pass->full = false;
		promoted = scan_node(pass);

		if (pass->refused)
			atomic_set(&node->pending, 1);
		if (pass->refused && !promoted)
			pause = min(max(pause, 1u) * 2, BACKOFF_MAX);
		else
			pause = READ_ONCE(pghot_kmigrated_sleep_ms);
	}
	return 0;
}

static struct pass *passes[MAX_NUMNODES];

static int start_one(struct hot_node *node)
{
	struct pass *pass = kzalloc(sizeof(*pass), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!pass)
		return ret;
	pass->node = node;
	ret = promoter_init(&pass->promoter);
	if (ret)
		goto no_promoter;

	node->kmigrated = kthread_create_on_node(kmigrated, pass, node->nid, "kmigrated%d",
						 node->nid);
	if (IS_ERR(node->kmigrated)) {
		ret = PTR_ERR(node->kmigrated);
		goto no_thread;
	}
	passes[node->nid] = pass;
	wake_up_process(node->kmigrated);
	return 0;

no_thread:
	promoter_exit(&pass->promoter);
no_promoter:
	kfree(pass);
	return ret;
}

/**
 * kmigrated_start() - start the threads of all slow nodes
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno, with no thread left running.
 */
int kmigrated_start(void)
{
	int nid, ret;

	for_each_node_mask(nid, pghot_slow_nodes) {
		ret = start_one(hot_nodes[nid]);
		if (ret) {
			kmigrated_stop();
			return ret;
		}
	}
	return 0;
}

/**
 * kmigrated_stop() - end all threads
 *
 * Process context, sleeps. A pass on its way is finished; no folio stays isolated.
 */
void kmigrated_stop(void)
{
	int nid;

	for_each_node_mask(nid, pghot_slow_nodes) {
		if (!passes[nid])
			continue;
		kthread_stop(hot_nodes[nid]->kmigrated);
		promoter_exit(&passes[nid]->promoter);
		kfree(passes[nid]);
		passes[nid] = NULL;
	}
}
