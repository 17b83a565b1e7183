/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Graph500 rules for the result of a search, a tree of parents:
 *  1. it is a tree: from each vertex parents lead to the root, without a cycle;
 *  2. the levels of a tree edge's ends differ by one;
 *  3. those of each input edge's ends differ by one at most, or neither has a level;
 *  4. the tree spans the root's component;
 *  5. a tree edge is an edge of the graph.
 * Levels that follow from the parents make 2 true with 1; 4 follows from 3, as no edge leaves
 * the tree. Several trees are validated side by side, so that the edges are read once.
 */
#ifndef LAB_VALIDATE_H
#define LAB_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph.h"

#define VALIDATE_TREES		16	/* side by side */
#define VALIDATE_NONE		UINT32_MAX	/* the parent of a vertex not in the tree */
#define VALIDATE_MAX_LEVEL	100	/* Kronecker graphs have about ten */

struct tree {
	unsigned int shift;		/* 2^shift parts, as the graph's */
	uint64_t vertices;		/* of each part */
	uint64_t root;
	const uint32_t *parent[GRAPH_MAX_PARTS];	/* by part and place */
};

/* The levels of a vertex in each of the trees side by side. */
typedef uint8_t tree_levels __attribute__((vector_size(VALIDATE_TREES)));

/*
 * Rules 1 and 2: the levels of all vertices in the tree number @nr of those side by side. False
 * if there is no such tree, or it is deeper than VALIDATE_MAX_LEVEL.
 */
bool validate_levels(const struct tree *t, tree_levels *levels, unsigned int nr);

/* Rules 3 and 4 for some of the edges: a bit for each tree that breaks them. */
unsigned int validate_edges(const struct edge *edges, uint64_t nr, const tree_levels *levels);

/*
 * Rule 5 for the vertices of a part. @ends: how many ends of input edges these have in the
 * tree's component.
 */
bool validate_tree_edges(const struct tree *t, const struct graph_part *part, uint64_t *ends);

#endif
