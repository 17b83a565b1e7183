/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_VMALLOC_H
#define _LINUX_VMALLOC_H

#include <linux/kernel.h>

void *vzalloc_node(size_t size, int nid);
void vfree(void *p);

#endif /* _LINUX_VMALLOC_H */
