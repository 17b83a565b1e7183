// SPDX-License-Identifier: GPL-2.0
#include "zipf.h"

#include <math.h>

#include "pattern.h"

double zipf_weight(uint64_t rank)
{
	return pow(rank + 1, -ZIPF_SKEW);
}

static void start_order(struct zipf *z, uint64_t seed)
{
	unsigned int bits = 1, i;

	while (UINT64_C(1) << bits < z->n)
		bits++;
	z->mask = (UINT64_C(1) << bits) - 1;
	z->shift = (bits + 1) / 2;
	for (i = 0; i < 2; i++)
		z->factor[i] = pattern_mix(2 * seed + i + PATTERN_A) | 1;
}

/*
 * Where the ranks' weights, summed up from the first on, reach each piece's part of the whole;
 * within a rank in proportion.
 */
void zipf_start(struct zipf *z, uint64_t n, uint64_t seed)
{
	double all = 0, sum = 0, weight = 0, wanted;
	uint64_t rank;
	int piece = 0;

	z->n = n;
	start_order(z, seed);
	for (rank = 0; rank < n; rank++)
		all += zipf_weight(rank);
	for (rank = 0; rank < n; rank++, sum += weight) {
		weight = zipf_weight(rank);
		for (; piece < ZIPF_PIECES; piece++) {
			wanted = all * piece / ZIPF_PIECES;
			if (wanted >= sum + weight)
				break;
			z->end[piece] = (rank + (wanted - sum) / weight) * ZIPF_UNIT;
		}
	}
	for (; piece <= ZIPF_PIECES; piece++)
		z->end[piece] = n * ZIPF_UNIT;
}
