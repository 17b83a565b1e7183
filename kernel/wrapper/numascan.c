// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Slowing down NUMA balancing's scans
 *
 * A hint fault that ends in a promotion makes the kernel scan the process less often. pghot takes
 * promotion out of the fault, so it does this for the kernel.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/sysctl.h>
#include <linux/sizes.h>

#include "wrapper/functions.h"
#include "wrapper/numascan.h"

/* The longest time between two pieces of a scan, ms, as task_scan_max() has it for one task. */
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
 * In tiering mode the kernel counts a fault only if the page is on a fast node at the end of the
 * fault, that is if it was promoted there. None of these faults counts as local. The kernel takes
 * that as a reason to double the time between two pieces of a scan, once for each scan of all of
 * the memory. pghot does not promote in the fault, so the kernel counts nothing and its scans
 * would stay as frequent as they were at the beginning. Therefore pghot doubles the time. In other
 * modes faults on fast nodes set the time, and this does nothing.
 *
 * Any context in which @task takes the fault, under the page-table lock. The time between pieces
 * belongs to the task. The time of the next scan belongs to the process, and its tasks race for it,
 * as they do in the kernel. The limits of the time are optional symbols. On a kernel without them
 * this does nothing.
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
