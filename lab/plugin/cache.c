// SPDX-License-Identifier: GPL-2.0
#include "cache.h"

#include <stdlib.h>
#include <string.h>

bool cache_geometry_ok(uint64_t bytes, uint64_t ways)
{
	uint64_t sets;

	if (!ways || ways > 64 || bytes % (ways * CACHE_LINE))
		return false;
	sets = bytes / (ways * CACHE_LINE);
	return sets && !(sets & (sets - 1));
}

bool cache_init(struct cache *c, uint64_t bytes, unsigned int ways)
{
	uint64_t sets = bytes / (ways * CACHE_LINE);

	/* Host cache lines hold whole sets, so that a lookup touches few of them. */
	c->way = aligned_alloc(CACHE_LINE, (sets * ways * sizeof(*c->way) + CACHE_LINE - 1) /
					   CACHE_LINE * CACHE_LINE);
	if (!c->way)
		return false;
	c->set_mask = sets - 1;
	c->ways = ways;
	cache_flush(c);
	return true;
}

void cache_free(struct cache *c)
{
	free(c->way);
	c->way = NULL;
}

void cache_flush(struct cache *c)
{
	memset(c->way, 0xff, (c->set_mask + 1) * c->ways * sizeof(*c->way));
}
