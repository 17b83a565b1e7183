/* SPDX-License-Identifier: GPL-2.0 */
/* Read-side sections are counted by thread, as preempt_disable() does by CPU. */
#ifndef _LINUX_RCUPDATE_H
#define _LINUX_RCUPDATE_H

#include <linux/kernel.h>

#define RCU_MAX_THREADS	8

/*
 * Odd while the thread is in a read-side section. Threads have numbers from 0,
 * which they say in rcu_thread before they read.
 */
struct rcu_reader {
	unsigned long count;
} __attribute__((__aligned__(64)));

extern struct rcu_reader rcu_readers[RCU_MAX_THREADS];
extern __thread unsigned int rcu_thread;

static __always_inline void rcu_read_lock_sched(void)
{
	WRITE_ONCE(rcu_readers[rcu_thread].count, rcu_readers[rcu_thread].count + 1);
	barrier();
}

static __always_inline void rcu_read_unlock_sched(void)
{
	barrier();
	WRITE_ONCE(rcu_readers[rcu_thread].count, rcu_readers[rcu_thread].count + 1);
}

/* A test may do here what others might do as soon as a reader has left. */
extern void (*rcu_unlocked)(void);

#define rcu_read_lock()				rcu_read_lock_sched()

static __always_inline void rcu_read_unlock(void)
{
	rcu_read_unlock_sched();
	if (rcu_unlocked)
		rcu_unlocked();
}

void synchronize_rcu(void);

#define rcu_read_lock_any_held()		(rcu_readers[rcu_thread].count & 1)
#define rcu_access_pointer(p)			READ_ONCE(p)
#define rcu_dereference_check(p, held)		READ_ONCE(p)
#define rcu_dereference_protected(p, held)	(p)
#define rcu_assign_pointer(p, v)		smp_store_release(&(p), v)
#define RCU_INIT_POINTER(p, v)			WRITE_ONCE(p, v)

#endif /* _LINUX_RCUPDATE_H */
