/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name. */
#ifndef FUZZ_ATOMIC_H
#define FUZZ_ATOMIC_H

#include_next <linux/atomic.h>

#define ATOMIC_INIT(i)		{ (i) }
#define atomic_inc(v)		__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_dec(v)		__atomic_fetch_sub(&(v)->counter, 1, __ATOMIC_SEQ_CST)

#define xchg(ptr, new)		__atomic_exchange_n(ptr, new, __ATOMIC_SEQ_CST)

#endif /* FUZZ_ATOMIC_H */
