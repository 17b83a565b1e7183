// SPDX-License-Identifier: GPL-2.0
/*
 * A source of hotness for tests and for measuring: records pages of a node that are
 * on an LRU list, when it is loaded, between two marks that the lab's plugin sees.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "marker.h"
#include "pghot.h"

static int nid;
module_param(nid, int, 0);
MODULE_PARM_DESC(nid, "Node whose pages are recorded");

static ulong nr_pages;
module_param(nr_pages, ulong, 0);
MODULE_PARM_DESC(nr_pages, "How many, at most");

static ulong rounds = 1;
module_param(rounds, ulong, 0);
MODULE_PARM_DESC(rounds, "How often each is recorded; 0 to do all but record");

static bool mark;
module_param(mark, bool, 0);
MODULE_PARM_DESC(mark, "Mark a measured region");

/* Anonymous order-0 folios: what programs of the tests map. */
static bool wanted(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page && page_to_nid(page) == nid && PageLRU(page) && PageAnon(page) &&
	       !PageCompound(page);
}

static int __init recorder_init(void)
{
	unsigned long pfn, round, i, n = 0, recorded = 0;
	unsigned long *pfns = vmalloc_array(nr_pages + 1, sizeof(*pfns));

	if (!pfns)
		return -ENOMEM;
	for (pfn = node_start_pfn(nid); pfn < node_end_pfn(nid) && n < nr_pages; pfn++) {
		if (wanted(pfn))
			pfns[n++] = pfn;
	}

	local_irq_disable();
	if (mark)
		marker_begin();
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < n; i++)
			recorded += !pghot_record_access(pfns[i], NUMA_NO_NODE,
							 PGHOT_SRC_HWHINTS, pghot_clock());
	}
	if (mark)
		marker_end();
	local_irq_enable();

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
