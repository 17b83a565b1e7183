// SPDX-License-Identifier: GPL-2.0
#include "guestram.h"

#include "qemu.h"

#define PAGE	(UINT64_C(1) << MEMORY_PAGE_SHIFT)

static const uint8_t *page_at(const struct nodemap *map, uint64_t off)
{
	uint64_t len = PAGE;
	const uint8_t *at = cpu_physical_memory_map(nodemap_address(map, off), &len, false);

	return len == PAGE ? at : NULL;
}

const char *guestram_find(struct memory *m)
{
	uint64_t first = 0, last;
	int n;

	if (!cpu_physical_memory_map || !tlb_flush)
		return "this QEMU does not export cpu_physical_memory_map and tlb_flush";
	for (n = 0; n < m->map.nr; n++) {
		m->host[n] = page_at(&m->map, first);
		last = m->map.end[n] - PAGE;
		if (!m->host[n] || page_at(&m->map, last) != m->host[n] + (last - first))
			return "the RAM of a node is not one range of QEMU's memory";
		first = m->map.end[n];
	}
	return NULL;
}
