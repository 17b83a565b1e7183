/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which places of memory a thread accesses, and what it adds there. The n-th access depends on
 * the plan and on the thread only, so a pattern can be played again.
 */
#ifndef LAB_PATTERN_H
#define LAB_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "numa.h"

#define PATTERN_MAX_THREADS	256
#define PATTERN_LINE		64	/* bytes */
#define PATTERN_CHANCE		1024	/* probabilities are parts of this */
#define PATTERN_A		UINT64_C(0x9e3779b97f4a7c15)
#define PATTERN_B		UINT64_C(0xd1342543de82ef95)

/* Which pages are accessed more than others. */
enum shape {
	SHAPE_EVEN,
	SHAPE_HOT,	/* those of the hot set */
	SHAPE_NORMAL,	/* the nearer to a centre, the more */
	SHAPE_LINEAR,	/* one after the other, @stride pages apart */
};

/* What all threads do. */
struct pattern_plan {
	enum shape shape;
	uint64_t seed;
	uint64_t pages;
	uint64_t accesses;	/* by each thread */
	uint64_t write_share;	/* percent of the accesses that are stores */
	uint64_t hot_pages;
	uint64_t hot_share;	/* percent of the accesses that go to the hot set */
	uint64_t moves;		/* of the hot set, at equal numbers of accesses */
	uint64_t stride;	/* pages, of SHAPE_LINEAR */
};

/* One thread's pattern. The hot set moves between its phases, which divide its accesses. */
struct pattern {
	uint64_t state;
	uint64_t pages;
	uint64_t hot_first;	/* page */
	uint64_t hot_pages;
	uint64_t hot_chance;
	uint64_t write_chance;
	uint64_t at;		/* page of SHAPE_LINEAR */
	uint64_t stride;	/* SHAPE_NORMAL: from a page to its neighbour in heat */
};

/* One access of a pattern. */
struct access {
	uint64_t offset;	/* bytes */
	uint64_t value;		/* what a store adds; odd */
	bool store;
};

/* @x with its bits mixed. */
uint64_t pattern_mix(uint64_t x);

void pattern_start(struct pattern *p, const struct pattern_plan *plan, unsigned int thread);

/* Begin the phase @phase, of 0 to plan->moves; the number of accesses in it. */
uint64_t pattern_phase(struct pattern *p, const struct pattern_plan *plan, uint64_t phase);

/*
 * A page of the normal distribution: the sum of four even ones, which ends 3.5 standard
 * deviations from the centre, where the memory ends. Hot and cold pages lie mixed, as
 * those of real programs: NUMA balancing scans in the order of addresses, and would
 * else find nothing but hot pages for some time and then none.
 */
static inline uint64_t pattern_normal_page(const struct pattern *p, uint64_t x)
{
	uint64_t y = x * PATTERN_A, sum;

	y ^= y >> 32;
	sum = (y & 0xffff) + (y >> 16 & 0xffff) + (y >> 32 & 0xffff) + (y >> 48);
	/* 18 bits, and 14 below them so that no page is left out. */
	return ((sum << 14 | x >> 50) * p->pages >> 32) * p->stride % p->pages;
}

/* The next page of SHAPE_LINEAR. */
static inline uint64_t pattern_linear_page(struct pattern *p)
{
	uint64_t page = p->at;

	p->at += p->stride;
	if (p->at >= p->pages)
		p->at -= p->pages;
	return page;
}

/*
 * A linear congruential generator: its high half chooses the page, and low bits
 * made good by the high ones choose the rest. Cheap, so that memory dominates.
 */
static inline __attribute__((always_inline)) struct access
pattern_next(struct pattern *p, enum shape shape)
{
	uint64_t first = 0, pages = p->pages, x;
	struct access a;

	p->state = p->state * PATTERN_B + PATTERN_A;
	x = p->state ^ p->state >> 32;
	if (shape == SHAPE_HOT && (x >> 16) % PATTERN_CHANCE < p->hot_chance) {
		first = p->hot_first;
		pages = p->hot_pages;
	}
	if (shape == SHAPE_NORMAL)
		a.offset = pattern_normal_page(p, x) * NUMA_PAGE;
	else if (shape == SHAPE_LINEAR)
		a.offset = pattern_linear_page(p) * NUMA_PAGE;
	else
		a.offset = (first + ((x >> 32) * pages >> 32)) * NUMA_PAGE;
	a.offset += x % (NUMA_PAGE / PATTERN_LINE) * PATTERN_LINE;
	a.value = x | 1;
	a.store = (x >> 6) % PATTERN_CHANCE < p->write_chance;
	return a;
}

#endif
