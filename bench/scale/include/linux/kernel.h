/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCALE_KERNEL_H
#define SCALE_KERNEL_H

#include_next <linux/kernel.h>

#include <linux/kstrtox.h>
#include <linux/printk.h>

#endif /* SCALE_KERNEL_H */
