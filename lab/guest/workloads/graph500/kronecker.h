/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Graph500 generator: the edges of a Kronecker graph of 2^scale vertices, whose labels are
 * scrambled. An edge depends on seed, scale and its number only.
 */
#ifndef LAB_KRONECKER_H
#define LAB_KRONECKER_H

#include <stdint.h>

#include "graph.h"

#define KRONECKER_MAX_SCALE	30

struct kronecker {
	unsigned int scale;
	uint64_t seed;
	uint64_t multiplier[2];	/* of the scrambling */
	uint64_t addend;
	/* Two levels of the recursion by 16 random bits: bits of u << 4 | bits of v. */
	uint8_t levels[1 << 16];
};

void kronecker_init(struct kronecker *k, unsigned int scale, uint64_t seed);

/* Random bits: the draw @index of the stream @stream. */
uint64_t kronecker_draw(const struct kronecker *k, uint64_t stream, uint64_t index);

/* The edges from the number @first on. */
void kronecker_edges(const struct kronecker *k, uint64_t first, uint64_t nr, struct edge *edges);

#endif
