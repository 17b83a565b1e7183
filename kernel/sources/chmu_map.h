/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PGHOT_CHMU_MAP_H
#define PGHOT_CHMU_MAP_H

#include <linux/types.h>

#include "chmu_regs.h"

/* More do not fit into one write to sysfs. */
#define CHMU_MAP_LINES	256

int chmu_map_set(const char *text, size_t len);
ssize_t chmu_map_show(char *buf);
unsigned int chmu_map_get(const char *device, struct chmu_range *map);

#endif /* PGHOT_CHMU_MAP_H */
