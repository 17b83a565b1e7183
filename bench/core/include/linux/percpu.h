/* SPDX-License-Identifier: GPL-2.0 */
/* A thread stands for a CPU. */
#ifndef _LINUX_PERCPU_H
#define _LINUX_PERCPU_H

#include <linux/types.h>

#define DECLARE_PER_CPU(type, name)	extern __thread __typeof__(type) name
#define DEFINE_PER_CPU(type, name)	__thread __typeof__(type) name

#define __percpu
#define this_cpu_add(var, nr)		((var) += (nr))
#define this_cpu_inc(var)		((var)++)

#endif /* _LINUX_PERCPU_H */
