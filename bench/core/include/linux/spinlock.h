/* SPDX-License-Identifier: GPL-2.0 */
/* Programs with one thread hold no locks. */
#ifndef _LINUX_SPINLOCK_H
#define _LINUX_SPINLOCK_H

typedef struct {
	int unused;
} spinlock_t;

#endif /* _LINUX_SPINLOCK_H */
