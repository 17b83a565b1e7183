/* SPDX-License-Identifier: GPL-2.0 */
/* The lock that is taken, and what that costs if nobody else wants it. */
#ifndef SCALE_SPINLOCK_H
#define SCALE_SPINLOCK_H

typedef struct {
	int taken;
} spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name

static inline void spin_lock(spinlock_t *lock)
{
	while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE))
		;
}

static inline void spin_unlock(spinlock_t *lock)
{
	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

#endif /* SCALE_SPINLOCK_H */
