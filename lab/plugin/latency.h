/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long single accesses of the guest took, as it marks them: a histogram of loads and one
 * of stores. All that happens between two marks counts, such as a fault and what it waits for;
 * the few instructions that stand with a mark in one block do not.
 */
#ifndef TIERMEM_LATENCY_H
#define TIERMEM_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vtime.h"

#define LATENCY_BINS	33	/* below 1 ns, 1, 2 to 3, 4 to 7, ...; the last: all beyond */

struct latency {
	int64_t begin_ps[VTIME_MAX_VCPUS];	/* -1: none is open */
	uint64_t count[2][LATENCY_BINS];	/* loads, stores */
	int64_t sum_ps[2];
};

/* Nothing was counted, and no access is open. */
void latency_reset(struct latency *l);

/* An access begins on vCPU @i, whose time is @now_ps. */
static inline void latency_begin(struct latency *l, int i, int64_t now_ps)
{
	l->begin_ps[i] = now_ps;
}

/* It ends. False if none had begun. */
bool latency_end(struct latency *l, int i, bool store, int64_t now_ps);

/* Print a JSON object, or null if nothing was counted. */
void latency_print(const struct latency *l, FILE *out);

#endif
