// SPDX-License-Identifier: GPL-2.0
#include "pattern.h"

uint64_t pattern_mix(uint64_t x)
{
	x = (x ^ x >> 32) * PATTERN_A;
	x = (x ^ x >> 29) * PATTERN_B;
	return x ^ x >> 32;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* A step that meets all pages, in an order that the seed chooses. */
static uint64_t mixing_stride(const struct pattern_plan *plan)
{
	uint64_t stride = pattern_mix(plan->seed) % plan->pages;

	while (common_divisor(stride, plan->pages) != 1)
		stride++;
	return stride;
}

void pattern_start(struct pattern *p, const struct pattern_plan *plan, unsigned int thread)
{
	p->state = pattern_mix(plan->seed * PATTERN_MAX_THREADS + thread);
	p->pages = plan->pages;
	p->hot_first = 0;
	p->hot_pages = plan->hot_pages;
	p->hot_chance = plan->hot_share * PATTERN_CHANCE / 100;
	p->write_chance = plan->write_share * PATTERN_CHANCE / 100;
	/* Threads do not follow each other. */
	p->at = p->state % p->pages;
	p->stride = plan->shape == SHAPE_LINEAR ? plan->stride : mixing_stride(plan);
}

uint64_t pattern_phase(struct pattern *p, const struct pattern_plan *plan, uint64_t phase)
{
	uint64_t phases = plan->moves + 1;

	p->hot_first = phase * p->hot_pages;
	return (phase + 1) * plan->accesses / phases - phase * plan->accesses / phases;
}
