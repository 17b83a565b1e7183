/* SPDX-License-Identifier: GPL-2.0 */
/* Who changes the map is alone here, or takes its turn. */
#ifndef _LINUX_MUTEX_H
#define _LINUX_MUTEX_H

#include <pthread.h>

#define DEFINE_MUTEX(name)	pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER
#define mutex_lock(lock)	pthread_mutex_lock(lock)
#define mutex_unlock(lock)	pthread_mutex_unlock(lock)

#endif /* _LINUX_MUTEX_H */
