/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The map from device addresses to host addresses
 */
#ifndef PGHOT_SOURCES_CHMU_MAP_H
#define PGHOT_SOURCES_CHMU_MAP_H

#include <linux/types.h>

#include "sources/chmu/regs.h"

struct textfile;

/* More do not fit into one write to sysfs. */
#define CHMU_MAP_LINES	256

extern const struct textfile pghot_chmu_map_file;

unsigned int pghot_chmu_map_get(const char *device, struct chmu_range *map);

#endif /* PGHOT_SOURCES_CHMU_MAP_H */
