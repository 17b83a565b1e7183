/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel threads, which no program here starts: a test calls what they would. */
#ifndef _LINUX_KTHREAD_H
#define _LINUX_KTHREAD_H

#include <stdbool.h>

#include <linux/err.h>
#include <linux/sched.h>

bool kthread_should_stop(void);

#define kthread_run(function, arg, ...)	((void)(function), (struct task_struct *)(arg))
#define kthread_stop(thread)		((void)(thread))

#endif /* _LINUX_KTHREAD_H */
