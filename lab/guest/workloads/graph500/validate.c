// SPDX-License-Identifier: GPL-2.0
#include "validate.h"

/* Further from all levels than one, also modulo 256. */
#define OUTSIDE		200
#define NOT_YET		255

static inline uint32_t parent_of(const struct tree *t, uint64_t vertex)
{
	return t->parent[graph_owner(vertex, t->shift)][graph_local(vertex, t->shift)];
}

/* Levels of @vertex and all on its way to the first that has one. */
static bool climb(const struct tree *t, tree_levels *levels, unsigned int nr, uint64_t vertex)
{
	uint64_t all = t->vertices << t->shift, v = vertex;
	unsigned int steps = 0, level;

	while (levels[v][nr] == NOT_YET) {
		v = parent_of(t, v);
		/* A cycle never ends. */
		if (v >= all || ++steps > VALIDATE_MAX_LEVEL)
			return false;
	}
	level = levels[v][nr] + steps;
	/* OUTSIDE is the level of a parent that is not in the tree. */
	if (level > VALIDATE_MAX_LEVEL)
		return false;
	for (v = vertex; levels[v][nr] == NOT_YET; v = parent_of(t, v))
		levels[v][nr] = level--;
	return true;
}

bool validate_levels(const struct tree *t, tree_levels *levels, unsigned int nr)
{
	uint64_t all = t->vertices << t->shift, v;

	if (t->root >= all || parent_of(t, t->root) != t->root)
		return false;
	for (v = 0; v < all; v++)
		levels[v][nr] = parent_of(t, v) == VALIDATE_NONE ? OUTSIDE : NOT_YET;
	levels[t->root][nr] = 0;
	for (v = 0; v < all; v++)
		if (levels[v][nr] == NOT_YET && !climb(t, levels, nr, v))
			return false;
	return true;
}

unsigned int validate_edges(const struct edge *edges, uint64_t nr, const tree_levels *levels)
{
	unsigned int broken = 0, i;
	tree_levels bad = { 0 };

	for (; nr--; edges++)
		bad |= (tree_levels)(levels[edges->u] - levels[edges->v] + 1 > 2);
	for (i = 0; i < VALIDATE_TREES; i++)
		broken |= (bad[i] != 0) << i;
	return broken;
}

bool validate_tree_edges(const struct tree *t, const struct graph_part *part, uint64_t *ends)
{
	const uint32_t *parent = t->parent[part->me];
	uint64_t local;

	*ends = 0;
	for (local = 0; local < part->vertices; local++) {
		if (parent[local] == VALIDATE_NONE)
			continue;
		*ends += graph_degree(part, local);
		if (graph_vertex(local, part->me, part->shift) != t->root &&
		    !graph_joins(part, local, parent[local]))
			return false;
	}
	return true;
}
