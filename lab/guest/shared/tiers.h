/* SPDX-License-Identifier: GPL-2.0 */
/* Which nodes are fast, as the guest's command fast_nodes has it. */
#ifndef LAB_TIERS_H
#define LAB_TIERS_H

#include <stdbool.h>

#include "numa.h"

/* Whether each node's memory is fast, in @fast. It complains and exits if the command fails. */
void tiers_find_fast(bool fast[NUMA_MAX_NODES]);

#endif
