/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name what it includes in the kernel. */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include_next <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sprintf.h>

#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), (d))

#endif /* FUZZ_KERNEL_H */
