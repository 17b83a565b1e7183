// SPDX-License-Identifier: GPL-2.0
#include "nodemap.h"

void nodemap_init(struct nodemap *map, uint64_t below4g, const uint64_t *size, int nr)
{
	uint64_t end = 0;
	int n;

	for (n = 0; n < nr; n++) {
		end += size[n];
		map->end[n] = end;
	}
	map->nr = nr;
	map->total = end;
	map->below4g = below4g < end ? below4g : end;
}
