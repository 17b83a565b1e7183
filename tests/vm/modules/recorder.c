// SPDX-License-Identifier: GPL-2.0
/*
 * A source of hotness for tests and for measuring: records every page of a range,
 * between two marks that the lab's plugin sees. The load ends with -EAGAIN, so that
 * it can be loaded again at once.
 */
#include <linux/module.h>

#include "marker.h"
#include "pghot.h"

static ulong start_pfn;
module_param(start_pfn, ulong, 0);
MODULE_PARM_DESC(start_pfn, "First page frame");

static ulong nr_pages;
module_param(nr_pages, ulong, 0);
MODULE_PARM_DESC(nr_pages, "How many");

static ulong rounds = 1;
module_param(rounds, ulong, 0);
MODULE_PARM_DESC(rounds, "How often each is recorded");

static int __init recorder_init(void)
{
	unsigned long pfn, round, recorded = 0;

	preempt_disable();
	marker_begin();
	for (round = 0; round < rounds; round++)
		for (pfn = start_pfn; pfn < start_pfn + nr_pages; pfn++)
			recorded += !pghot_record_access(pfn, NUMA_NO_NODE, PGHOT_SRC_HINTFAULTS,
							 pghot_clock());
	marker_end();
	preempt_enable();
	pr_info("recorder: %lu of %lu recorded\n", recorded, nr_pages * rounds);
	return -EAGAIN;
}

module_init(recorder_init);
MODULE_DESCRIPTION("pghot test: a source that reports what it is told to");
MODULE_LICENSE("GPL");
