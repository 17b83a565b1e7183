/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCALE_KSTRTOX_H
#define SCALE_KSTRTOX_H

#include_next <linux/kstrtox.h>

#define kstrtouint(text, base, value)	kstrtoint(text, base, (int *)(value))

#endif /* SCALE_KSTRTOX_H */
