/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name. */
#ifndef _LINUX_LOG2_H
#define _LINUX_LOG2_H

#include_next <linux/log2.h>

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n > 1 ? 1ul << (64 - __builtin_clzl(n - 1)) : 1;
}

#endif /* _LINUX_LOG2_H */
