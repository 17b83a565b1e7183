// SPDX-License-Identifier: GPL-2.0
/*
 * An example of a source of hotness, to copy from: a module that keeps reporting
 * a range of page frames as used, as the driver of a device that counts accesses
 * would report what the device found.
 *
 * The module's reference to pghot_record_range() keeps pghot loaded; pghot can be
 * unloaded after it. Nothing is owed at unload: once no call is on its way, as
 * kthread_stop() makes sure here, the source is gone.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/numa.h>
#include <linux/sched.h>

#include "pghot.h"

/* One call takes time in proportion to its range: let others run in between. */
#define CHUNK	512ul

static ulong first_pfn;
module_param(first_pfn, ulong, 0444);
MODULE_PARM_DESC(first_pfn, "First page frame to report");

static ulong nr_pages;
module_param(nr_pages, ulong, 0444);
MODULE_PARM_DESC(nr_pages, "How many page frames to report");

static int nid = NUMA_NO_NODE;
module_param(nid, int, 0444);
MODULE_PARM_DESC(nid, "Node of the CPUs that use them, -1 if unknown (default)");

static uint weight = 1;
module_param(weight, uint, 0444);
MODULE_PARM_DESC(weight, "Accesses to each page that a report stands for");

static uint interval_ms = 10;
module_param(interval_ms, uint, 0444);
MODULE_PARM_DESC(interval_ms, "Pause between two reports of the range");

static ulong recorded;
module_param(recorded, ulong, 0444);
MODULE_PARM_DESC(recorded, "Folios recorded so far (read only)");

static ulong errors;
module_param(errors, ulong, 0444);
MODULE_PARM_DESC(errors, "Calls that pghot refused so far (read only)");

static struct task_struct *reporter;

static void report(unsigned long pfn, unsigned long nr)
{
	long ret = pghot_record_range(pfn, nr, nid, PGHOT_SRC_HWHINTS, pghot_clock(), weight);

	if (ret < 0)
		errors++;
	else
		recorded += ret;
}

static int keep_reporting(void *unused)
{
	unsigned long done;

	while (!kthread_should_stop()) {
		for (done = 0; done < nr_pages && !kthread_should_stop(); done += CHUNK) {
			report(first_pfn + done, min(CHUNK, nr_pages - done));
			cond_resched();
		}
		/* The state first: kthread_stop() wakes whoever has not seen it. */
		set_current_state(TASK_IDLE);
		if (!kthread_should_stop())
			schedule_timeout(msecs_to_jiffies(interval_ms));
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static int __init source_init(void)
{
	reporter = kthread_run(keep_reporting, NULL, "source");
	return PTR_ERR_OR_ZERO(reporter);
}

static void __exit source_exit(void)
{
	kthread_stop(reporter);
}

module_init(source_init);
module_exit(source_exit);
MODULE_DESCRIPTION("pghot example: a source that reports a range of pages");
MODULE_LICENSE("GPL");
