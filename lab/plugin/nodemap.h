/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest physical address -> RAM offset -> memory node, for QEMU's q35 machine:
 * RAM is one range that q35 splits in two, below the PCI hole and from 4 GiB on.
 * Nodes follow one another in RAM offsets.
 */
#ifndef TIERMEM_NODEMAP_H
#define TIERMEM_NODEMAP_H

#include <stdbool.h>
#include <stdint.h>

#define NODEMAP_MAX_NODES	8
#define NODEMAP_4G		(UINT64_C(1) << 32)

struct nodemap {
	uint64_t below4g;			/* bytes of RAM below the hole */
	uint64_t total;				/* bytes of RAM */
	uint64_t end[NODEMAP_MAX_NODES];	/* RAM offset where a node ends */
	int nr;
};

/* Build the map of @nr nodes of @size bytes each; @below4g bytes lie below the hole. */
void nodemap_init(struct nodemap *map, uint64_t below4g, const uint64_t *size, int nr);

/* RAM offset of @pa in @off; false if no RAM is there. */
static inline bool nodemap_offset(const struct nodemap *map, uint64_t pa, uint64_t *off)
{
	if (pa < map->below4g)
		*off = pa;
	else if (pa >= NODEMAP_4G)
		*off = pa - NODEMAP_4G + map->below4g;
	else
		return false;
	return *off < map->total;
}

/* Physical address of the RAM offset @off. */
static inline uint64_t nodemap_address(const struct nodemap *map, uint64_t off)
{
	return off < map->below4g ? off : off - map->below4g + NODEMAP_4G;
}

/* Node of the RAM offset @off, which must be below the total. */
static inline int nodemap_node(const struct nodemap *map, uint64_t off)
{
	int n = 0;

	while (off >= map->end[n])
		n++;
	return n;
}

#endif
