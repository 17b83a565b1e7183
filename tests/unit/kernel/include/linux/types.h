/* SPDX-License-Identifier: GPL-2.0 */
/* What the pure files of kernel/ use of the kernel's header, for user space. */
#ifndef _LINUX_TYPES_H
#define _LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* For the kernel's interface to programs. */
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef int32_t __s32;

#endif /* _LINUX_TYPES_H */
