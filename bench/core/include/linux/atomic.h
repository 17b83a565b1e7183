/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_ATOMIC_H
#define _LINUX_ATOMIC_H

#include <linux/kernel.h>

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, i)
#define atomic_xchg(v, new)	__atomic_exchange_n(&(v)->counter, new, __ATOMIC_SEQ_CST)

#define atomic_long_read(v)	READ_ONCE((v)->counter)
#define atomic_long_set(v, i)	WRITE_ONCE((v)->counter, i)
#define atomic_long_add(i, v)	__atomic_fetch_add(&(v)->counter, i, __ATOMIC_RELAXED)

#define try_cmpxchg(ptr, old, new)				\
	__atomic_compare_exchange_n(ptr, old, new, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#endif /* _LINUX_ATOMIC_H */
