/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name what the system's own headers expect of it. */
#ifndef SHIM_TYPES_H
#define SHIM_TYPES_H

#include_next <linux/types.h>

typedef u32 __u32;
typedef u64 __u64;
typedef unsigned short umode_t;

#endif /* SHIM_TYPES_H */
