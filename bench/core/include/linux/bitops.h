/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_BITOPS_H
#define _LINUX_BITOPS_H

#include <linux/kernel.h>

#define BITS_PER_LONG		64
#define BITS_TO_LONGS(nr)	DIV_ROUND_UP(nr, BITS_PER_LONG)
#define BIT_WORD(nr)		((nr) / BITS_PER_LONG)
#define BIT_MASK(nr)		(1ul << ((nr) % BITS_PER_LONG))

static inline unsigned int __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

static __always_inline bool test_bit(unsigned long nr, const unsigned long *addr)
{
	return READ_ONCE(addr[BIT_WORD(nr)]) & BIT_MASK(nr);
}

static __always_inline void set_bit(unsigned long nr, unsigned long *addr)
{
	__atomic_fetch_or(&addr[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_RELAXED);
}

static __always_inline bool test_and_clear_bit(unsigned long nr, unsigned long *addr)
{
	return __atomic_fetch_and(&addr[BIT_WORD(nr)], ~BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}

/* A call in the kernel, too. */
unsigned long find_next_bit(const unsigned long *addr, unsigned long size, unsigned long nr);

#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = find_next_bit(addr, size, 0); (bit) < (size);	\
	     (bit) = find_next_bit(addr, size, (bit) + 1))

#endif /* _LINUX_BITOPS_H */
