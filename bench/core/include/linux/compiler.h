/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name what files use that share memory. */
#ifndef SHIM_COMPILER_H
#define SHIM_COMPILER_H

#include_next <linux/compiler.h>
#include <linux/compiler_attributes.h>

#define __rcu
#define noinline		__attribute__((__noinline__))
#define barrier()		__asm__ volatile("" ::: "memory")

#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
/* Atomic operations are full barriers, as on x86. */
#define smp_mb__after_atomic()	barrier()
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#endif /* SHIM_COMPILER_H */
