/* SPDX-License-Identifier: GPL-2.0 */
/* Nobody takes sections out of the map here. */
#ifndef _LINUX_RWSEM_H
#define _LINUX_RWSEM_H

#include <stdbool.h>

struct rw_semaphore {
	int unused;
};

#define init_rwsem(sem)		((void)(sem))
#define down_read(sem)		((void)(sem))
#define up_read(sem)		((void)(sem))
#define down_write(sem)		((void)(sem))
#define up_write(sem)		((void)(sem))
#define lockdep_is_held(lock)	((void)(lock), true)

#endif /* _LINUX_RWSEM_H */
