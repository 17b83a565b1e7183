/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_LOG2_H
#define _LINUX_LOG2_H

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n > 1 ? 1ul << (64 - __builtin_clzl(n - 1)) : 1;
}

#endif /* _LINUX_LOG2_H */
