/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_COMPILER_H
#define _LINUX_COMPILER_H

/* The C library has __always_inline, too. */
#include <sys/cdefs.h>

#endif /* _LINUX_COMPILER_H */
