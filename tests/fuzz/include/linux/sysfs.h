/* SPDX-License-Identifier: GPL-2.0 */
/* A file of one page, which the kernel's functions never write beyond. */
#ifndef _LINUX_SYSFS_H
#define _LINUX_SYSFS_H

#include <assert.h>
#include <sys/types.h>

#include <linux/mmzone.h>
#include <linux/sprintf.h>

/* The kernel warns if there is not even room for the null byte. */
static inline int sysfs_emit_at(char *buf, int at, const char *format, ...)
{
	va_list args;
	int len;

	assert(at >= 0 && at < (int)PAGE_SIZE);
	va_start(args, format);
	len = vscnprintf(buf + at, PAGE_SIZE - at, format, args);
	va_end(args);
	return len;
}

#define sysfs_emit(buf, ...)	sysfs_emit_at(buf, 0, __VA_ARGS__)

#endif /* _LINUX_SYSFS_H */
