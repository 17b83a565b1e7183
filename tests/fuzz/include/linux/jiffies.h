/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name. The target says what time it is. */
#ifndef FUZZ_JIFFIES_H
#define FUZZ_JIFFIES_H

#include_next <linux/jiffies.h>

#define HZ			250
#define TICK_NSEC		4000000ul

extern unsigned long jiffies;

#define usecs_to_jiffies(us)	DIV_ROUND_UP((unsigned long)(us), 1000000 / HZ)
#define time_before(a, b)	((long)((a) - (b)) < 0)

#endif /* FUZZ_JIFFIES_H */
