/* SPDX-License-Identifier: GPL-2.0 */
/* Zeroed memory, counted as the kernel would set it aside. There is always enough. */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <stdlib.h>

#include <linux/kernel.h>

#define GFP_KERNEL	0

/* Bytes so far: powers of two from slabs, whole pages from vmalloc(). */
extern unsigned long shim_bytes;

void *shim_kzalloc(size_t size);
void shim_kfree(void *p);

#define kzalloc_node(size, gfp, nid)	shim_kzalloc(size)
#define kzalloc(size, gfp)		shim_kzalloc(size)
#define kvzalloc(size, gfp)		shim_kzalloc(size)
#define kfree(p)			shim_kfree(p)
#define kvfree(p)			shim_kfree(p)

#endif /* _LINUX_SLAB_H */
