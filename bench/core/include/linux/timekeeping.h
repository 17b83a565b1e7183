/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TIMEKEEPING_H
#define _LINUX_TIMEKEEPING_H

#include <linux/types.h>

/* ns; the program says what time it is. */
extern u64 shim_clock;

#define ktime_get_mono_fast_ns()	__atomic_load_n(&shim_clock, __ATOMIC_RELAXED)

#endif /* _LINUX_TIMEKEEPING_H */
