/* SPDX-License-Identifier: GPL-2.0 */
/* Quantiles of many times: counts in buckets that are 1/32 of their time wide at most. */
#ifndef LAB_QUANTILE_H
#define LAB_QUANTILE_H

#include <stdint.h>

#define QUANTILE_STEPS		32u
#define QUANTILE_BUCKETS	(60 * QUANTILE_STEPS)

struct quantile {
	uint64_t n;
	uint64_t count[QUANTILE_BUCKETS];
};

void quantile_add(struct quantile *q, uint64_t ns);

/* The time that @share of all do not exceed: the highest of its bucket, ns. 0 if there is none. */
uint64_t quantile_at(const struct quantile *q, double share);

#endif
