/* SPDX-License-Identifier: GPL-2.0 */
/* How many frames of each node are in use: those that were used in an interval of time. */
#ifndef TIERMEM_FRAMES_H
#define TIERMEM_FRAMES_H

#include <stdint.h>

#include "nodemap.h"

struct frames {
	uint32_t *used_in;			/* by frame: the last interval, from 1 on */
	uint32_t interval;			/* the one of now */
	uint64_t used[NODEMAP_MAX_NODES];	/* in each interval, summed up */
};

static inline void frames_use(struct frames *f, uint64_t frame, int node)
{
	if (f->used_in[frame] == f->interval)
		return;
	f->used_in[frame] = f->interval;
	f->used[node]++;
}

#endif
