/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages by Zipf's law: the page of rank r (1, 2, ...) is accessed in proportion to 1 / r^0.99,
 * the skew that key-value stores are measured with. A permutation that a seed chooses says
 * which page has which rank, so that hot pages lie scattered.
 */
#ifndef TENANTS_ZIPF_H
#define TENANTS_ZIPF_H

#include <stdint.h>

#define ZIPF_SKEW	0.99
#define ZIPF_PIECES	1024	/* of the inverse of the distribution, each straight */
#define ZIPF_UNIT	256	/* parts of a rank that the pieces' ends are given in */
#define ZIPF_MAX_PAGES	(UINT64_C(1) << 24)

/* Small enough for first-level caches: looking a rank up is to cost no access to memory. */
struct zipf {
	uint64_t pages;
	uint64_t mask;		/* of the power of two from @pages on */
	uint64_t factor[2];
	unsigned int shift;
	uint32_t end[ZIPF_PIECES + 1];
};

/* @pages: at most ZIPF_MAX_PAGES. */
void zipf_start(struct zipf *z, uint64_t pages, uint64_t seed);

/* The weight of the rank @rank, from 0 on; the first one's is 1. */
double zipf_weight(uint64_t rank);

/* The page of the rank @rank, both from 0 on. */
static inline uint64_t zipf_place(const struct zipf *z, uint64_t rank)
{
	uint64_t page = rank;

	/* Each step is one to one; what is no page is mixed on. */
	do {
		page = (page * z->factor[0] + z->factor[1]) & z->mask;
		page ^= page >> z->shift;
		page = page * z->factor[1] & z->mask;
		page ^= page >> z->shift;
		page = page * z->factor[0] & z->mask;
	} while (page >= z->pages);
	return page;
}

/* The rank that the high 26 bits of @x draw. */
static inline uint64_t zipf_rank(const struct zipf *z, uint64_t x)
{
	uint64_t piece = x >> 54, part = x >> 38 & 0xffff;
	uint64_t from = z->end[piece], to = z->end[piece + 1];

	return (from + ((to - from) * part >> 16)) / ZIPF_UNIT;
}

/* The page that the high 26 bits of @x draw. */
static inline uint64_t zipf_page(const struct zipf *z, uint64_t x)
{
	return zipf_place(z, zipf_rank(z, x));
}

#endif
