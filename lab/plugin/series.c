// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <stdlib.h>
#include <string.h>

void series_begin(struct series *s, int nr_nodes, int64_t interval_ns, int64_t t0_ns)
{
	s->nr_buckets = 0;
	if (s->nr_nodes != nr_nodes)
		series_free(s);
	s->nr_nodes = nr_nodes;
	s->interval_ns = interval_ns;
	s->t0_ns = t0_ns;
}

static bool series_grow(struct series *s, size_t nr_buckets)
{
	size_t room = s->room ? s->room : 64;
	uint64_t *count;

	while (room < nr_buckets)
		room *= 2;
	if (room > s->room) {
		count = realloc(s->count, room * s->nr_nodes * sizeof(*count));
		if (!count)
			return false;
		s->count = count;
		s->room = room;
	}
	memset(s->count + s->nr_buckets * s->nr_nodes, 0,
	       (nr_buckets - s->nr_buckets) * s->nr_nodes * sizeof(*s->count));
	s->nr_buckets = nr_buckets;
	return true;
}

bool series_add(struct series *s, int node, int64_t now_ns, uint64_t n)
{
	size_t bucket = (now_ns - s->t0_ns) / s->interval_ns;

	if (bucket >= s->nr_buckets && !series_grow(s, bucket + 1))
		return false;
	s->count[bucket * s->nr_nodes + node] += n;
	return true;
}

void series_free(struct series *s)
{
	free(s->count);
	memset(s, 0, sizeof(*s));
}
