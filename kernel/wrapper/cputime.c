// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Reading the CPU time of the current task
 */
#include <linux/sched.h>

#include "wrapper/cputime.h"
#include "wrapper/functions.h"

/**
 * pghot_cputime_ns() - CPU time that the current task has used
 *
 * Process context.
 *
 * Return: ns, up to this moment.
 */
u64 pghot_cputime_ns(void)
{
	return static_call(pghot_task_sched_runtime)(current);
}
