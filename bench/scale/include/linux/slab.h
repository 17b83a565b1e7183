/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCALE_SLAB_H
#define SCALE_SLAB_H

#include_next <linux/slab.h>
#include <string.h>

#define kmalloc(size, gfp)			malloc(size)
#define kmemdup_nul(text, length, gfp)		strndup(text, length)

#endif /* SCALE_SLAB_H */
