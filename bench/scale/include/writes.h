/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has each write to memory that CPUs share counted. This is included before everything else, so
 * that the module's files write through what is defined here.
 */
#ifndef SCALE_WRITES_H
#define SCALE_WRITES_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>

void count_write(const volatile void *p);

#undef WRITE_ONCE
#define WRITE_ONCE(x, value) ({						\
	count_write(&(x));						\
	*(volatile __typeof__(x) *)&(x) = (value);			\
})

#undef smp_store_release
#define smp_store_release(p, value) ({					\
	count_write(p);							\
	__atomic_store_n(p, value, __ATOMIC_RELEASE);			\
})

#undef try_cmpxchg
#define try_cmpxchg(ptr, old, new) ({					\
	count_write(ptr);						\
	__atomic_compare_exchange_n(ptr, old, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);\
})

#undef atomic_xchg
#define atomic_xchg(v, new) ({						\
	count_write(v);							\
	__atomic_exchange_n(&(v)->counter, new, __ATOMIC_SEQ_CST);	\
})

#define set_bit(nr, addr) ({						\
	count_write(&(addr)[BIT_WORD(nr)]);				\
	set_bit(nr, addr);						\
})

#endif
