/* SPDX-License-Identifier: GPL-2.0 */
/* As the header of the same name for user space, but here atomic operations are no barriers. */
#ifndef EXPLORE_COMPILER_H
#define EXPLORE_COMPILER_H

#include_next <linux/compiler.h>

#undef smp_mb__after_atomic
#define smp_mb__after_atomic()	smp_mb()

#endif /* EXPLORE_COMPILER_H */
