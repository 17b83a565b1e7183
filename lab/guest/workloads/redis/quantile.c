// SPDX-License-Identifier: GPL-2.0
/* Quantiles of many times: counts in buckets that are 1/32 of their time wide at most. */
#include "quantile.h"

/* Below 64 ns a bucket is one ns; from there on each power of two has 32 of them. */
static unsigned int bucket_of(uint64_t ns)
{
	unsigned int shift;

	if (ns < 2 * QUANTILE_STEPS)
		return ns;
	shift = 63 - __builtin_clzll(ns) - __builtin_ctz(QUANTILE_STEPS);
	return shift * QUANTILE_STEPS + (ns >> shift);
}

static uint64_t highest_of(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * QUANTILE_STEPS)
		return bucket;
	shift = bucket / QUANTILE_STEPS - 1;
	return (((uint64_t)bucket - shift * QUANTILE_STEPS + 1) << shift) - 1;
}

void quantile_add(struct quantile *q, uint64_t ns)
{
	q->count[bucket_of(ns)]++;
	q->n++;
}

uint64_t quantile_at(const struct quantile *q, double share)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < QUANTILE_BUCKETS && q->n; i++) {
		sum += q->count[i];
		if (sum >= share * q->n)
			return highest_of(i);
	}
	return 0;
}
