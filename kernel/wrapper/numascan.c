// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/sysctl.h>
#include <linux/sizes.h>

#include "wrapper/functions.h"
#include "wrapper/numascan.h"

/* The longest time between two pieces of a scan, ms: task_scan_max() of a task by itself. */
static unsigned int longest_period(struct mm_struct *mm)
{
	unsigned long piece = READ_ONCE(*pghot_numa_scan_size) * (SZ_1M / PAGE_SIZE);
	unsigned long pieces = DIV_ROUND_UP(get_mm_rss(mm), max(piece, 1));

	return READ_ONCE(*pghot_numa_scan_period_max) / max(pieces, 1);
}

/**
 * pghot_numascan_slow_down() - have NUMA balancing scan half as often, as after a promotion
 * @task: current, in a hint fault on a page of a slow node
 *
 * In tiering mode the kernel counts a fault only if its page is on a fast node in the end,
 * so if it was promoted in the fault; and as none of these counts as local, the kernel
 * doubles the time between two pieces of a scan, once for each scan of all of the memory.
 * Who takes promotion out of the fault does this for it, or scans stay as frequent as they
 * began. In other modes faults on fast nodes set the time, and this does nothing.
 *
 * Any context in which @task takes the fault, under the page-table lock. The time is the
 * task's own; tasks of a process race for that of the next scan, as they do in the kernel.
 * Does nothing on a kernel without the limits of that time, which are optional.
 */
void pghot_numascan_slow_down(struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
	unsigned int period = task->numa_scan_period;
	int seq;

	if (!mm || !pghot_numa_scan_size || !pghot_numa_scan_period_max ||
	    READ_ONCE(*pghot_numa_balancing_mode) != NUMA_BALANCING_MEMORY_TIERING)
		return;
	seq = READ_ONCE(mm->numa_scan_seq);
	if (task->numa_scan_seq == seq)
		return;
	task->numa_scan_seq = seq;
	task->numa_scan_period = min(2 * period, max(period, longest_period(mm)));
	WRITE_ONCE(mm->numa_next_scan, jiffies + msecs_to_jiffies(task->numa_scan_period));
}
