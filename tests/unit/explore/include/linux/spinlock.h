/* SPDX-License-Identifier: GPL-2.0 */
/* Who finds a lock taken stops until it is given back. */
#ifndef _LINUX_SPINLOCK_H
#define _LINUX_SPINLOCK_H

#include "access.h"

typedef struct {
	unsigned int held;
} spinlock_t;

#define spin_lock_init(lock)	((lock)->held = 0)
#define spin_lock(lock)		access_lock(&(lock)->held)
#define spin_unlock(lock)	__atomic_store_n(&(lock)->held, 0, __ATOMIC_RELEASE)

#endif /* _LINUX_SPINLOCK_H */
