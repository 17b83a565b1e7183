/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RWSEM_H
#define _LINUX_RWSEM_H

#include <pthread.h>

struct rw_semaphore {
	pthread_rwlock_t lock;
};

#define init_rwsem(sem)		pthread_rwlock_init(&(sem)->lock, NULL)
#define down_read(sem)		pthread_rwlock_rdlock(&(sem)->lock)
#define up_read(sem)		pthread_rwlock_unlock(&(sem)->lock)
#define down_write(sem)		pthread_rwlock_wrlock(&(sem)->lock)
#define up_write(sem)		pthread_rwlock_unlock(&(sem)->lock)
#define lockdep_is_held(lock)	((void)(lock), true)

#endif /* _LINUX_RWSEM_H */
