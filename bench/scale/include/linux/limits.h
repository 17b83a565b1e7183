/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCALE_LIMITS_H
#define SCALE_LIMITS_H

#include_next <linux/limits.h>

#define PATH_MAX	4096

#endif /* SCALE_LIMITS_H */
