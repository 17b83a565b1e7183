/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RWSEM_H
#define _LINUX_RWSEM_H

#include <pthread.h>
#include <stdbool.h>

/* @contended: what a test says of it; nobody here knows who waits. */
struct rw_semaphore {
	pthread_rwlock_t lock;
	bool contended;
};

#define init_rwsem(sem)		((sem)->contended = false, pthread_rwlock_init(&(sem)->lock, NULL))
#define rwsem_is_contended(sem)	((sem)->contended)
#define down_read(sem)		pthread_rwlock_rdlock(&(sem)->lock)
#define up_read(sem)		pthread_rwlock_unlock(&(sem)->lock)
#define down_write(sem)		pthread_rwlock_wrlock(&(sem)->lock)
#define up_write(sem)		pthread_rwlock_unlock(&(sem)->lock)
#define lockdep_is_held(lock)	((void)(lock), true)

#endif /* _LINUX_RWSEM_H */
