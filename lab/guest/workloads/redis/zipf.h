/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Zipf's distribution: rank r, from 0 on, is drawn in proportion to 1 / (r + 1)^theta. By the
 * closed form that YCSB draws with (Gray and others, 1994): one power for each draw.
 */
#ifndef LAB_ZIPF_H
#define LAB_ZIPF_H

#include <stdint.h>

struct zipf {
	uint64_t n;
	double alpha, eta;
	double zeta;	/* sum of all weights */
	double two;	/* sum of the first two weights */
};

/* @n ranks, at least 2; @theta: above 0 and below 1. */
void zipf_start(struct zipf *z, uint64_t n, double theta);

/* A rank below @n, by 64 even random bits. */
uint64_t zipf_rank(const struct zipf *z, uint64_t random);

/*
 * A step that scatters: i * step % n is another one for each i below @n. Which one depends on
 * @seed.
 */
uint64_t zipf_scatter(uint64_t n, uint64_t seed);

#endif
