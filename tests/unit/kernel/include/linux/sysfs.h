/* SPDX-License-Identifier: GPL-2.0 */
/* A file of one page. */
#ifndef _LINUX_SYSFS_H
#define _LINUX_SYSFS_H

#include <stdio.h>
#include <sys/types.h>

typedef unsigned short umode_t;

#define sysfs_emit_at(buf, at, ...)	snprintf((buf) + (at), 4096 - (at), __VA_ARGS__)

#endif /* _LINUX_SYSFS_H */
