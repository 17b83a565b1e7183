/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A graph in parts, as ranks that share no memory have it: vertex v belongs to part
 * v mod parts, which has all of v's edges in compressed rows. The number of parts is a power of
 * two. An edge is in the rows of both its ends, a loop twice in the row of its only one.
 */
#ifndef LAB_GRAPH_H
#define LAB_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_MAX_PARTS	64

struct edge {
	uint64_t u, v;
};

struct graph_part {
	unsigned int me;
	unsigned int shift;	/* 2^shift parts */
	uint64_t vertices;	/* of this part */
	uint64_t *row;		/* vertices + 2: where each begins, and the last ends */
	uint64_t *column;	/* neighbours */
};

static inline unsigned int graph_owner(uint64_t vertex, unsigned int shift)
{
	return vertex & ((1u << shift) - 1);
}

/* A vertex' place in its part. */
static inline uint64_t graph_local(uint64_t vertex, unsigned int shift)
{
	return vertex >> shift;
}

static inline uint64_t graph_vertex(uint64_t local, unsigned int owner, unsigned int shift)
{
	return local << shift | owner;
}

/* First of all edges: count those of the part's vertices in its rows, which begin as zeros. */
void graph_count(struct graph_part *part, const struct edge *edges, uint64_t nr);

/* Then the rows have their places; how many columns they need. */
uint64_t graph_place(struct graph_part *part);

/* Last of all edges, in the same order: fill the columns. */
void graph_fill(struct graph_part *part, const struct edge *edges, uint64_t nr);

/* Length of a row. */
static inline uint64_t graph_degree(const struct graph_part *part, uint64_t local)
{
	return part->row[local + 1] - part->row[local];
}

/* Is @vertex a neighbour of the part's vertex @local? */
bool graph_joins(const struct graph_part *part, uint64_t local, uint64_t vertex);

/* Has the part's vertex @local a neighbour but itself? */
bool graph_leads_on(const struct graph_part *part, uint64_t local);

/* A sum over both directions of edges, and over rows: the same if all parts hold the edges. */
uint64_t graph_sum_edges(const struct edge *edges, uint64_t nr);
uint64_t graph_sum_rows(const struct graph_part *part);

#endif
