/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which part of RAM is used when: uses by equal pieces of RAM and by columns of time. There
 * are no more than HEAT_COLUMNS: where time outgrows them, each two become one.
 */
#ifndef TIERMEM_HEAT_H
#define TIERMEM_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodemap.h"

#define HEAT_COLUMNS	100
#define HEAT_PIECES	64	/* of the largest node, if that divides all nodes */

struct heat {
	uint64_t *uses;			/* column * nr_pieces + piece */
	uint64_t *now;			/* the last column */
	size_t nr_columns;
	size_t nr_pieces;
	unsigned int piece_shift;	/* of a RAM offset */
	int64_t interval_ns;		/* of a column */
	int64_t t0_ns;
};

/* A heat map of all of @map's RAM. False if out of memory. */
bool heat_init(struct heat *h, const struct nodemap *map);

/* An empty map with its first column, of @interval_ns from @t0_ns on. */
void heat_begin(struct heat *h, int64_t interval_ns, int64_t t0_ns);

/* Uses are of the time @now_ns from now on. */
void heat_advance(struct heat *h, int64_t now_ns);

void heat_free(struct heat *h);

static inline void heat_use(struct heat *h, uint64_t off)
{
	h->now[off >> h->piece_shift]++;
}

#endif
