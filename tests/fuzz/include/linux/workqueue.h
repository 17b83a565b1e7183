/* SPDX-License-Identifier: GPL-2.0 */
/* Work that is queued: the target does it. */
#ifndef _LINUX_WORKQUEUE_H
#define _LINUX_WORKQUEUE_H

#include <stdbool.h>

struct work_struct {
	void (*function)(struct work_struct *work);
};

struct delayed_work {
	struct work_struct work;
	bool queued;
	unsigned long delay;
};

#define system_unbound_wq	0
#define system_freezable_power_efficient_wq	0
#define to_delayed_work(work)	((struct delayed_work *)(work))

#define INIT_DELAYED_WORK(dwork, called) \
	(*(dwork) = (struct delayed_work){ .work.function = (called) })

#define DECLARE_DEFERRABLE_WORK(name, called) \
	struct delayed_work name = { .work.function = (called) }

/* Returns false if it was queued already; then it stays as it was. */
static inline bool queue_delayed_work(int wq, struct delayed_work *dwork, unsigned long delay)
{
	if (dwork->queued)
		return false;
	dwork->queued = true;
	dwork->delay = delay;
	return true;
}

static inline void mod_delayed_work(int wq, struct delayed_work *dwork, unsigned long delay)
{
	dwork->queued = true;
	dwork->delay = delay;
}

static inline void cancel_delayed_work_sync(struct delayed_work *dwork)
{
	dwork->queued = false;
}

#endif /* _LINUX_WORKQUEUE_H */
