// SPDX-License-Identifier: GPL-2.0
/*
 * A source of hotness for tests and for measuring: records pages of a node that are on
 * an LRU list, when it is loaded. Each round is a region between two marks that the
 * lab's plugin sees; before them comes one that only reads the clock.
 */
#include <linux/delay.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "marker.h"
#include "pghot.h"

static int nid;
module_param(nid, int, 0);
MODULE_PARM_DESC(nid, "Node whose pages are recorded");

static int accessor = NUMA_NO_NODE;
module_param(accessor, int, 0);
MODULE_PARM_DESC(accessor, "Node that is said to use them, -1 if unknown");

static bool file;
module_param(file, bool, 0);
MODULE_PARM_DESC(file, "Pages of files are recorded instead of anonymous ones");

static ulong nr_pages;
module_param(nr_pages, ulong, 0);
MODULE_PARM_DESC(nr_pages, "How many, at most");

static ulong rounds = 1;
module_param(rounds, ulong, 0);
MODULE_PARM_DESC(rounds, "How often each is recorded");

static uint pause_ms;
module_param(pause_ms, uint, 0);
MODULE_PARM_DESC(pause_ms, "Pause after each access, ms; without one, interrupts are off");

static bool mark;
module_param(mark, bool, 0);
MODULE_PARM_DESC(mark, "Mark measured regions");

/* Order-0 folios: what programs of the tests have. */
static bool wanted(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page && page_to_nid(page) == nid && PageLRU(page) && PageAnon(page) != file &&
	       !PageCompound(page);
}

/* Returns how many were recorded. */
static __always_inline unsigned long one_round(const unsigned long *pfns, unsigned long n,
					       bool record)
{
	unsigned long i, recorded = 0;

	if (mark)
		marker_begin();
	for (i = 0; i < n; i++) {
		u64 now = pghot_clock();

		if (record)
			recorded += pghot_record_access(pfns[i], accessor,
							PGHOT_SRC_HWHINTS, now) >= 0;
	}
	if (mark)
		marker_end();
	return recorded;
}

/* Returns how many were recorded. */
static unsigned long record_slowly(const unsigned long *pfns, unsigned long n)
{
	unsigned long i, recorded = 0;

	for (i = 0; i < n; i++) {
		recorded += pghot_record_access(pfns[i], accessor, PGHOT_SRC_HWHINTS,
						pghot_clock()) >= 0;
		msleep(pause_ms);
	}
	return recorded;
}

/* Returns how many were recorded. */
static unsigned long record_at_once(const unsigned long *pfns, unsigned long n)
{
	unsigned long round, recorded = 0;

	local_irq_disable();
	if (mark)
		one_round(pfns, n, false);
	for (round = 0; round < rounds; round++)
		recorded += one_round(pfns, n, true);
	local_irq_enable();
	return recorded;
}

static int __init recorder_init(void)
{
	unsigned long pfn, n = 0, recorded;
	unsigned long *pfns = vmalloc_array(nr_pages + 1, sizeof(*pfns));

	if (!pfns)
		return -ENOMEM;
	for (pfn = node_start_pfn(nid); pfn < node_end_pfn(nid) && n < nr_pages; pfn++) {
		if (wanted(pfn))
			pfns[n++] = pfn;
	}

	recorded = pause_ms ? record_slowly(pfns, n) : record_at_once(pfns, n);
	pr_info("recorder: %lu accesses to %lu pages recorded\n", recorded, n);
	vfree(pfns);
	return 0;
}

static void __exit recorder_exit(void)
{
}

module_init(recorder_init);
module_exit(recorder_exit);
MODULE_DESCRIPTION("pghot test: a source that reports what it is told to");
MODULE_LICENSE("GPL");
