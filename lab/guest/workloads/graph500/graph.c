// SPDX-License-Identifier: GPL-2.0
#include "graph.h"

#define ODD_U	UINT64_C(0x9e3779b97f4a7c15)
#define ODD_V	UINT64_C(0xc2b2ae3d27d4eb4f)

/*
 * Lengths are counted two rows further on, so that after the sum row l + 1 has the place where
 * row l begins; filling it moves that on to its end, which is where row l + 1 begins.
 */
static void count_end(struct graph_part *part, uint64_t vertex)
{
	if (graph_owner(vertex, part->shift) == part->me)
		part->row[graph_local(vertex, part->shift) + 2]++;
}

void graph_count(struct graph_part *part, const struct edge *edges, uint64_t nr)
{
	for (; nr--; edges++) {
		count_end(part, edges->u);
		count_end(part, edges->v);
	}
}

uint64_t graph_place(struct graph_part *part)
{
	uint64_t columns = 0, i, length;

	for (i = 2; i < part->vertices + 2; i++) {
		length = part->row[i];
		part->row[i] = columns + length;
		columns += length;
	}
	return columns;
}

static void fill_end(struct graph_part *part, uint64_t vertex, uint64_t neighbour)
{
	if (graph_owner(vertex, part->shift) == part->me)
		part->column[part->row[graph_local(vertex, part->shift) + 1]++] = neighbour;
}

void graph_fill(struct graph_part *part, const struct edge *edges, uint64_t nr)
{
	for (; nr--; edges++) {
		fill_end(part, edges->u, edges->v);
		fill_end(part, edges->v, edges->u);
	}
}

bool graph_joins(const struct graph_part *part, uint64_t local, uint64_t vertex)
{
	const uint64_t *at = part->column + part->row[local];
	const uint64_t *end = part->column + part->row[local + 1];

	while (at < end && *at != vertex)
		at++;
	return at < end;
}

bool graph_leads_on(const struct graph_part *part, uint64_t local)
{
	uint64_t self = graph_vertex(local, part->me, part->shift), i;

	for (i = part->row[local]; i < part->row[local + 1]; i++)
		if (part->column[i] != self)
			return true;
	return false;
}

/* Of the edge as seen from @from: not linear, so exchanged ends show in the sum. */
static inline uint64_t edge_value(uint64_t from, uint64_t to)
{
	uint64_t x = from * ODD_U + to * ODD_V;

	return x ^ x >> 29;
}

uint64_t graph_sum_edges(const struct edge *edges, uint64_t nr)
{
	uint64_t sum = 0;

	for (; nr--; edges++)
		sum += edge_value(edges->u, edges->v) + edge_value(edges->v, edges->u);
	return sum;
}

uint64_t graph_sum_rows(const struct graph_part *part)
{
	uint64_t sum = 0, local, vertex, i;

	for (local = 0; local < part->vertices; local++) {
		vertex = graph_vertex(local, part->me, part->shift);
		for (i = part->row[local]; i < part->row[local + 1]; i++)
			sum += edge_value(vertex, part->column[i]);
	}
	return sum;
}
