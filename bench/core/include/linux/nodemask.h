/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_NODEMASK_H
#define _LINUX_NODEMASK_H

#include <linux/bitmap.h>
#include <linux/numa.h>

#define MAX_NUMNODES	1024

typedef struct {
	DECLARE_BITMAP(bits, MAX_NUMNODES);
} nodemask_t;

#endif /* _LINUX_NODEMASK_H */
