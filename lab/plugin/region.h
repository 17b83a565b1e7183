/* SPDX-License-Identifier: GPL-2.0 */
/* A measured region, from the guest's begin mark to its end mark. */
#ifndef TIERMEM_REGION_H
#define TIERMEM_REGION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clock.h"
#include "latency.h"
#include "memory.h"
#include "series.h"

#define REGION_USED	10	/* intervals in which frames in use are counted together */
#define REGION_MOVES	64	/* how often the hot range may be named in a region */

struct region {
	bool open;
	int64_t begin_ns;
	uint64_t insn_begin[VTIME_MAX_VCPUS][INSN_CLASSES];
	uint64_t in_series[VTIME_MAX_VCPUS][NODEMAP_MAX_NODES];	/* user accesses */
	struct series series;
	uint64_t in_hot[VTIME_MAX_VCPUS][NODEMAP_MAX_NODES];	/* uses of the hot range */
	struct series hot;
	uint64_t in_copies[VTIME_MAX_VCPUS][NODEMAP_MAX_NODES][NODEMAP_MAX_NODES];
	struct series copies[NODEMAP_MAX_NODES];		/* by the node they are from */
	uint64_t in_used[NODEMAP_MAX_NODES];			/* frames, in longer intervals */
	struct series used;
	int64_t move_ns[REGION_MOVES];				/* when it was named */
	int nr_moves;
	struct latency latency;
};

/* Open @r at @now_ns, with all counts at 0. */
void region_begin(struct region *r, struct memory *m, int64_t interval_ns, int64_t now_ns);

/*
 * The bytes from @first to @last are the hot range from now on, until the end of the region
 * that is open or the next one. NULL, or what is wrong.
 */
const char *region_name_hot(struct region *r, struct memory *m, uint64_t first, uint64_t last,
			    int64_t now_ns);

/* Put vCPU @i's accesses since the last call into the time series. */
void region_sample(struct region *r, struct memory *m, int i, int64_t now_ns);

/*
 * Close @r and append it to @out as one line of JSON; write the pages' uses, which are no
 * stores of the kernel, to the file @pages unless it is empty. NULL, or what went wrong.
 */
const char *region_end(struct region *r, struct memory *m, int64_t now_ns, FILE *out,
		       const char *pages);

#endif
