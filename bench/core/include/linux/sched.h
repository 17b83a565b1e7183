/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SCHED_H
#define _LINUX_SCHED_H

#define cond_resched()	do { } while (0)

#endif /* _LINUX_SCHED_H */
