/* SPDX-License-Identifier: GPL-2.0 */
/* Nobody sleeps here: wake-ups are counted. */
#ifndef _LINUX_WAIT_H
#define _LINUX_WAIT_H

#include <linux/atomic.h>

typedef struct {
	atomic_long_t wakeups;
} wait_queue_head_t;

#define init_waitqueue_head(wq)	atomic_long_set(&(wq)->wakeups, 0)
#define wait_event_freezable(wq, condition)			((void)(wq), (void)(condition))
#define wait_event_freezable_timeout(wq, condition, timeout)	\
	((void)(wq), (void)(condition), (void)(timeout))
#define wake_up(wq)		atomic_long_add(1, &(wq)->wakeups)

#endif /* _LINUX_WAIT_H */
