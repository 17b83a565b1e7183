/* SPDX-License-Identifier: GPL-2.0 */
/* A measured region, from the guest's begin mark to its end mark. */
#ifndef TIERMEM_REGION_H
#define TIERMEM_REGION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clock.h"
#include "memory.h"
#include "series.h"

struct region {
	bool open;
	int64_t begin_ns;
	uint64_t insn_begin[VTIME_MAX_VCPUS][INSN_CLASSES];
	uint64_t in_series[VTIME_MAX_VCPUS][NODEMAP_MAX_NODES];	/* user accesses */
	struct series series;
};

/* Open @r at @now_ns, with all counts at 0. */
void region_begin(struct region *r, struct memory *m, int64_t interval_ns, int64_t now_ns);

/* Put vCPU @i's accesses since the last call into the time series. */
void region_sample(struct region *r, const struct memory *m, int i, int64_t now_ns);

/*
 * Close @r and append it to @out as one line of JSON; write the page counts to
 * the file @pages unless it is empty. NULL, or what went wrong.
 */
const char *region_end(struct region *r, const struct memory *m, int64_t now_ns, FILE *out,
		       const char *pages);

#endif
