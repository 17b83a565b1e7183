/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name; sanitizers watch what is allocated. */
#ifndef FUZZ_SLAB_H
#define FUZZ_SLAB_H

#include_next <linux/slab.h>
#include <linux/overflow.h>

#define kmalloc(size, gfp)	malloc(size)
#define kcalloc(nr, size, gfp)	calloc(nr, size)

#endif /* FUZZ_SLAB_H */
