/* SPDX-License-Identifier: GPL-2.0 */
/* Counts per interval of time, one row per node, growing as time goes on. */
#ifndef TIERMEM_SERIES_H
#define TIERMEM_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct series {
	uint64_t *count;	/* bucket * nr_nodes + node */
	size_t nr_buckets;	/* in use */
	size_t room;
	int64_t interval_ns;
	int64_t t0_ns;
	int nr_nodes;
};

/* Empty series that begins at @t0_ns. Call it again to begin anew. */
void series_begin(struct series *s, int nr_nodes, int64_t interval_ns, int64_t t0_ns);

/* Add @n to @node's count at @now_ns (not before t0). False if out of memory. */
bool series_add(struct series *s, int node, int64_t now_ns, uint64_t n);

void series_free(struct series *s);

#endif
