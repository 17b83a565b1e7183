/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Waiting for a short time
 */
#ifndef PGHOT_CORE_WAIT_H
#define PGHOT_CORE_WAIT_H

#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/types.h>

/* Whoever sleeps for less is woken up much later, us. */
#define WAIT_SPIN	100u

/**
 * pghot_wait() - wait for a short time
 * @us: for how long, us; up to an eighth longer
 *
 * Process context, sleeps. It does not count as load.
 */
static inline void pghot_wait(unsigned long us)
{
	if (us > WAIT_SPIN)
		usleep_range_state(us, us + us / 8, TASK_IDLE | TASK_FREEZABLE);
	else
		udelay(us);
}

#endif /* PGHOT_CORE_WAIT_H */
