// SPDX-License-Identifier: GPL-2.0
#include "kronecker.h"

#define ODD_A		UINT64_C(0xbf58476d1ce4e5b9)
#define ODD_B		UINT64_C(0x94d049bb133111eb)
#define LEVELS_IN_DRAW	8

/* The chances of an edge's end to lie in the halves (u, v): A, B, C and the rest. */
static const double quadrants[4] = { 0.57, 0.19, 0.19, 0.05 };

/* An edge has a stream of its own; those of the seed itself come after all edges. */
enum {
	STREAM_EDGES,
	STREAM_LABELS,
};

static inline uint64_t blend(uint64_t x)
{
	x = (x ^ x >> 30) * ODD_A;
	x = (x ^ x >> 27) * ODD_B;
	return x ^ x >> 31;
}

uint64_t kronecker_draw(const struct kronecker *k, uint64_t stream, uint64_t index)
{
	return blend(blend(k->seed + stream * ODD_B) + index * ODD_A);
}

void kronecker_init(struct kronecker *k, unsigned int scale, uint64_t seed)
{
	unsigned int first, second, at = 0;
	double sum = 0;

	k->scale = scale;
	k->seed = seed;
	k->multiplier[0] = kronecker_draw(k, STREAM_LABELS, 0) | 1;
	k->multiplier[1] = kronecker_draw(k, STREAM_LABELS, 1) | 1;
	k->addend = kronecker_draw(k, STREAM_LABELS, 2);
	for (first = 0; first < 4; first++) {
		for (second = 0; second < 4; second++) {
			sum += quadrants[first] * quadrants[second];
			for (; at < sum * (1 << 16) - 0.5; at++)
				k->levels[at] = (first >> 1 << 1 | second >> 1) << 4 |
						(first & 1) << 1 | (second & 1);
		}
	}
}

/* One to one on the numbers of @scale bits: without it low labels have most edges. */
static inline uint64_t scramble(const struct kronecker *k, uint64_t x)
{
	uint64_t mask = (UINT64_C(1) << k->scale) - 1;
	unsigned int half = k->scale / 2 + 1;

	x = (x * k->multiplier[0] + k->addend) & mask;
	x ^= x >> half;
	x = x * k->multiplier[1] & mask;
	return x ^ x >> half;
}

/* The specification shuffles the edges, too: these are independent of each other anyway. */
void kronecker_edges(const struct kronecker *k, uint64_t first, uint64_t nr, struct edge *edges)
{
	uint64_t stream = kronecker_draw(k, STREAM_EDGES, 0), bits = 0, u, v, i;
	unsigned int draws = KRONECKER_MAX_SCALE / LEVELS_IN_DRAW + 1, level, extra, d;
	uint8_t two;

	/* What is drawn beyond an odd scale is dropped. */
	extra = k->scale & 1;
	for (i = first; i < first + nr; i++) {
		u = 0;
		v = 0;
		d = 0;
		for (level = 0; level < k->scale; level += 2) {
			if (level % LEVELS_IN_DRAW == 0)
				bits = blend(stream + (i * draws + d++) * ODD_A);
			two = k->levels[bits & 0xffff];
			bits >>= 16;
			u = u << 2 | two >> 4;
			v = v << 2 | (two & 0xf);
		}
		edges->u = scramble(k, u >> extra);
		edges->v = scramble(k, v >> extra);
		edges++;
	}
}
