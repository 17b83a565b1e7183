/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that are the same in every run: splitmix64, of one seed.
 */
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_u64(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* From 0 to n - 1. */
static inline uint64_t random_below(struct random *r, uint64_t n)
{
	return random_u64(r) % n;
}

/* True once in n times. */
static inline bool random_once_in(struct random *r, uint64_t n)
{
	return !random_below(r, n);
}

/* From lowest to highest, every power of two between them as often as the others. */
static inline uint64_t random_log(struct random *r, uint64_t lowest, uint64_t highest)
{
	unsigned int powers = 64 - __builtin_clzll(highest / lowest);
	uint64_t from = lowest << random_below(r, powers);
	uint64_t to = 2 * from - 1 < highest ? 2 * from - 1 : highest;

	return from + random_below(r, to - from + 1);
}

#endif /* UNIT_RANDOM_H */
