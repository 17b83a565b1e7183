/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KERNEL_H
#define _LINUX_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <limits.h>

#include <linux/compiler.h>
#include <linux/types.h>

#define BIT(nr)			(1ul << (nr))
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ALIGN(x, a)		(((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define EXPORT_SYMBOL_GPL(name)	struct shim_exported

#endif /* _LINUX_KERNEL_H */
