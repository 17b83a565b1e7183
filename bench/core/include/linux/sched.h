/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SCHED_H
#define _LINUX_SCHED_H

#define MIN_NICE		(-20)
#define current			((struct task_struct *)0)
#define set_user_nice(task, nice)	((void)(task))

struct task_struct;

#define cond_resched()	do { } while (0)

#endif /* _LINUX_SCHED_H */
