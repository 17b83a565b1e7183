// SPDX-License-Identifier: GPL-2.0
#include "tiers.h"

#include <stdio.h>
#include <string.h>

#include "args.h"

#define COMMAND		"fast_nodes"

void tiers_find_fast(bool fast[NUMA_MAX_NODES])
{
	FILE *list = popen(COMMAND, "r");
	int node;

	if (!list)
		args_die(COMMAND);
	memset(fast, 0, NUMA_MAX_NODES * sizeof(*fast));
	while (fscanf(list, "%d", &node) == 1)
		if (node >= 0 && node < NUMA_MAX_NODES)
			fast[node] = true;
	if (pclose(list))
		args_die(COMMAND);
}
