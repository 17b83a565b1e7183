/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: High-resolution timers
 */
#ifndef PGHOT_WRAPPER_TIMER_H
#define PGHOT_WRAPPER_TIMER_H

#include <linux/hrtimer.h>

/**
 * pghot_hrtimer_setup() - make a timer of CLOCK_MONOTONIC ready to be started
 * @timer: the timer
 * @function: what it calls
 * @mode: when and where it will do so
 *
 * Any context.
 */
static inline void pghot_hrtimer_setup(struct hrtimer *timer,
				       enum hrtimer_restart (*function)(struct hrtimer *),
				       enum hrtimer_mode mode)
{
#ifdef PGHOT_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

#endif /* PGHOT_WRAPPER_TIMER_H */
