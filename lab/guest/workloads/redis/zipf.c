// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "zipf.h"

#define TWO_TO_MINUS_53	(1.0 / (UINT64_C(1) << 53))

void zipf_start(struct zipf *z, uint64_t n, double theta)
{
	uint64_t i;

	z->n = n;
	z->alpha = 1 / (1 - theta);
	z->two = 1 + pow(0.5, theta);
	z->zeta = 0;
	for (i = n; i; i--)
		z->zeta += pow(i, -theta);
	z->eta = (1 - pow(2.0 / n, 1 - theta)) / (1 - z->two / z->zeta);
}

uint64_t zipf_rank(const struct zipf *z, uint64_t random)
{
	double u = (random >> 11) * TWO_TO_MINUS_53;
	uint64_t rank;

	if (u * z->zeta < 1)
		return 0;
	if (u * z->zeta < z->two)
		return 1;
	rank = z->n * pow(z->eta * u - z->eta + 1, z->alpha);
	return rank < z->n ? rank : z->n - 1;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

uint64_t zipf_scatter(uint64_t n, uint64_t seed)
{
	uint64_t step;

	/* Its bits mixed, as seeds are small. */
	seed = (seed ^ seed >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 29) * UINT64_C(0xd1342543de82ef95);
	step = (seed ^ seed >> 32) % n;
	while (common_divisor(step, n) != 1)
		step++;
	return step;
}
