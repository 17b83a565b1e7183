/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items by Zipf's law: that of rank r (1, 2, ...) is used in proportion to 1 / r^0.99, the
 * skew that key-value stores are measured with. A permutation that a seed chooses says which
 * item, such as a page or a key, has which rank, so that hot ones lie scattered.
 */
#ifndef LAB_ZIPF_H
#define LAB_ZIPF_H

#include <stdint.h>

#define ZIPF_SKEW	0.99
#define ZIPF_PIECES	1024	/* of the inverse of the distribution, each straight */
#define ZIPF_UNIT	256	/* parts of a rank that the pieces' ends are given in */
#define ZIPF_MAX_ITEMS	(UINT64_C(1) << 24)

/* Small enough for first-level caches: looking a rank up is to cost no access to memory. */
struct zipf {
	uint64_t n;
	uint64_t mask;		/* of the power of two from @n on */
	uint64_t factor[2];
	unsigned int shift;
	uint32_t end[ZIPF_PIECES + 1];
};

/* @n: items, at most ZIPF_MAX_ITEMS. */
void zipf_start(struct zipf *z, uint64_t n, uint64_t seed);

/* The weight of the rank @rank, from 0 on; the first one's is 1. */
double zipf_weight(uint64_t rank);

/* The item of the rank @rank, both from 0 on. */
static inline uint64_t zipf_place(const struct zipf *z, uint64_t rank)
{
	uint64_t item = rank;

	/* Each step is one to one; what is no item is mixed on. */
	do {
		item = (item * z->factor[0] + z->factor[1]) & z->mask;
		item ^= item >> z->shift;
		item = item * z->factor[1] & z->mask;
		item ^= item >> z->shift;
		item = item * z->factor[0] & z->mask;
	} while (item >= z->n);
	return item;
}

/* The rank that the high 26 bits of @x draw. */
static inline uint64_t zipf_rank(const struct zipf *z, uint64_t x)
{
	uint64_t piece = x >> 54, part = x >> 38 & 0xffff;
	uint64_t from = z->end[piece], to = z->end[piece + 1];

	return (from + ((to - from) * part >> 16)) / ZIPF_UNIT;
}

/* The item that the high 26 bits of @x draw. */
static inline uint64_t zipf_item(const struct zipf *z, uint64_t x)
{
	return zipf_place(z, zipf_rank(z, x));
}

#endif
