/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCALE_SYSFS_H
#define SCALE_SYSFS_H

#include_next <linux/sysfs.h>
#include <string.h>

#define sysfs_streq(a, b)	(!strcmp(a, b))

#endif /* SCALE_SYSFS_H */
