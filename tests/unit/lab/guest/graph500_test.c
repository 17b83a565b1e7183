// SPDX-License-Identifier: GPL-2.0
/* Graph500: the generator's chances, rows, searches in parts, and that validation finds faults. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bfs.h"
#include "kronecker.h"
#include "validate.h"

#include "check.h"

#define EDGEFACTOR	16
#define SEEDS		4

/* A graph in parts with a search in each, in one thread. */
struct world {
	unsigned int shift;
	uint64_t vertices;
	struct graph_part part[GRAPH_MAX_PARTS];
	struct bfs bfs[GRAPH_MAX_PARTS];
	uint32_t *result[GRAPH_MAX_PARTS];
	unsigned int full;	/* rounds that ended with a full mail */
};

static void open_world(struct world *w, const struct edge *edges, uint64_t nr, uint64_t vertices,
		       unsigned int shift)
{
	uint64_t each = vertices >> shift;
	unsigned int p;

	w->shift = shift;
	w->vertices = vertices;
	w->full = 0;
	for (p = 0; p < 1u << shift; p++) {
		struct graph_part *g = &w->part[p];
		struct bfs *b = &w->bfs[p];

		*g = (struct graph_part){ .me = p, .shift = shift, .vertices = each };
		g->row = calloc(each + 2, sizeof(*g->row));
		graph_count(g, edges, nr);
		g->column = malloc(graph_place(g) * sizeof(*g->column));
		graph_fill(g, edges, nr);
		b->graph = g;
		b->parent = malloc(each * sizeof(*b->parent));
		b->visited = malloc(bfs_visited_words(each) * sizeof(*b->visited));
		b->frontier = malloc(each * sizeof(*b->frontier));
		b->next = malloc(each * sizeof(*b->next));
		b->mail = calloc(1u << shift, sizeof(*b->mail));
		w->result[p] = malloc(each * sizeof(*w->result[p]));
	}
}

static void close_world(struct world *w)
{
	unsigned int p;

	for (p = 0; p < 1u << w->shift; p++) {
		free(w->part[p].row);
		free(w->part[p].column);
		free(w->bfs[p].parent);
		free(w->bfs[p].visited);
		free(w->bfs[p].frontier);
		free(w->bfs[p].next);
		free(w->bfs[p].mail);
		free(w->result[p]);
	}
}

/* What the threads of lab/guest/workloads/graph500/graph500.c do between their barriers. */
static uint64_t level(struct world *w)
{
	unsigned int parts = 1u << w->shift, p, from;
	uint64_t reached = 0;
	bool all;

	do {
		all = true;
		for (p = 0; p < parts; p++)
			all &= bfs_scan(&w->bfs[p]);
		for (p = 0; p < parts; p++)
			for (from = 0; from < parts; from++)
				bfs_receive(&w->bfs[p], &w->bfs[from].mail[p], from);
		for (p = 0; p < parts; p++)
			bfs_sent(&w->bfs[p]);
		w->full += !all;
	} while (!all);
	for (p = 0; p < parts; p++) {
		reached += w->bfs[p].nr_next;
		bfs_next_level(&w->bfs[p]);
	}
	return reached;
}

static struct tree search(struct world *w, uint64_t root)
{
	struct tree t = { w->shift, w->vertices >> w->shift, root, { NULL } };
	unsigned int p;
	uint64_t i;

	for (p = 0; p < 1u << w->shift; p++) {
		bfs_clear(&w->bfs[p]);
		bfs_begin(&w->bfs[p], root);
	}
	while (level(w))
		;
	for (p = 0; p < 1u << w->shift; p++) {
		for (i = 0; i < t.vertices; i++)
			w->result[p][i] = w->bfs[p].parent[i];
		t.parent[p] = w->result[p];
	}
	return t;
}

static struct edge *kronecker(unsigned int scale, uint64_t seed, uint64_t *nr)
{
	static struct kronecker k;
	struct edge *edges;

	*nr = EDGEFACTOR << scale;
	edges = malloc(*nr * sizeof(*edges));
	kronecker_init(&k, scale, seed);
	/* The first half, then the second: as two ranks do. */
	kronecker_edges(&k, 0, *nr / 2, edges);
	kronecker_edges(&k, *nr / 2, *nr - *nr / 2, edges + *nr / 2);
	return edges;
}

/* Is @found what a chance of @p gives in @nr draws? Beyond 5 standard deviations it is not. */
static bool likely(uint64_t found, uint64_t nr, double p)
{
	return fabs(found - nr * p) < 5 * sqrt(nr * p);
}

/* Labels are scrambled one to one, so the vertex of most edges and the loops are still there. */
static void chances(unsigned int scale, uint64_t seed)
{
	uint64_t vertices = UINT64_C(1) << scale, most_u = 0, most_v = 0, loops = 0, nr, i;
	struct edge *edges = kronecker(scale, seed, &nr);
	uint64_t *from = calloc(vertices, sizeof(*from)), *to = calloc(vertices, sizeof(*to));

	for (i = 0; i < nr; i++) {
		if (!CHECK(edges[i].u < vertices && edges[i].v < vertices))
			break;
		from[edges[i].u]++;
		to[edges[i].v]++;
		loops += edges[i].u == edges[i].v;
	}
	for (i = 0; i < vertices; i++) {
		most_u = from[i] > most_u ? from[i] : most_u;
		most_v = to[i] > most_v ? to[i] : most_v;
	}
	CHECK(likely(most_u, nr, pow(0.57 + 0.19, scale)));
	CHECK(likely(most_v, nr, pow(0.57 + 0.19, scale)));
	CHECK(likely(loops, nr, pow(0.57 + 0.05, scale)));
	free(edges);
	free(from);
	free(to);
}

static void repeatable(void)
{
	static struct kronecker k;
	struct edge *one, *other, piece;
	uint64_t nr;

	one = kronecker(7, 1, &nr);
	other = kronecker(7, 2, &nr);
	CHECK(memcmp(one, other, nr * sizeof(*one)));
	kronecker_init(&k, 7, 1);
	kronecker_edges(&k, 77, 1, &piece);
	CHECK(!memcmp(&one[77], &piece, sizeof(piece)));
	free(one);
	free(other);
}

static void rows(void)
{
	static const struct edge edges[] = { { 0, 3 }, { 5, 0 }, { 2, 2 }, { 3, 0 }, { 4, 2 } };
	static const uint64_t even[] = { 3, 5, 3, 2, 2, 4, 2 }, odd[] = { 0, 0, 0 };
	static struct world w;

	open_world(&w, edges, 5, 8, 1);
	CHECK(graph_degree(&w.part[0], 0) == 3 && graph_degree(&w.part[0], 1) == 3);
	CHECK(graph_degree(&w.part[0], 2) == 1 && !graph_degree(&w.part[0], 3));
	CHECK(!memcmp(w.part[0].column, even, sizeof(even)));
	CHECK(!graph_degree(&w.part[1], 0) && graph_degree(&w.part[1], 1) == 2);
	CHECK(graph_degree(&w.part[1], 2) == 1 && !memcmp(w.part[1].column, odd, sizeof(odd)));

	CHECK(graph_joins(&w.part[0], 0, 5) && !graph_joins(&w.part[0], 0, 2));
	CHECK(!graph_joins(&w.part[1], 0, 3));
	CHECK(graph_leads_on(&w.part[0], 1) && !graph_leads_on(&w.part[0], 3));
	CHECK(graph_sum_edges(edges, 5) == graph_sum_rows(&w.part[0]) + graph_sum_rows(&w.part[1]));
	/* Two neighbours of 0 and 2 change places. */
	w.part[0].column[0] = 2;
	w.part[0].column[3] = 3;
	CHECK(graph_sum_edges(edges, 5) != graph_sum_rows(&w.part[0]) + graph_sum_rows(&w.part[1]));
	close_world(&w);
}

/* A loop alone leads nowhere. */
static void loop_alone(void)
{
	static const struct edge edge = { 1, 1 };
	static struct world w;

	open_world(&w, &edge, 1, 2, 0);
	CHECK(graph_degree(&w.part[0], 1) == 2 && !graph_leads_on(&w.part[0], 1));
	close_world(&w);
}

/* The distance from the root of all vertices, by looking at all edges until nothing changes. */
static uint8_t *distances(const struct edge *edges, uint64_t nr, uint64_t vertices, uint64_t root)
{
	uint8_t *far = malloc(vertices);
	bool changed = true;
	uint64_t i;

	memset(far, 200, vertices);
	far[root] = 0;
	while (changed) {
		changed = false;
		for (i = 0; i < nr; i++) {
			uint64_t u = edges[i].u, v = edges[i].v;

			if (far[u] < 200 && far[v] > far[u] + 1) {
				far[v] = far[u] + 1;
				changed = true;
			}
			if (far[v] < 200 && far[u] > far[v] + 1) {
				far[u] = far[v] + 1;
				changed = true;
			}
		}
	}
	return far;
}

/* Searches in 1 to 8 parts reach the same component by the same levels, and are valid. */
static void searches(unsigned int scale, uint64_t seed)
{
	uint64_t vertices = UINT64_C(1) << scale, nr, ends, component, of_part, root, i;
	struct edge *edges = kronecker(scale, seed, &nr);
	tree_levels *levels = aligned_alloc(sizeof(*levels), vertices * sizeof(*levels));
	static struct world w;
	unsigned int shift, p;
	struct tree t;
	uint8_t *far;

	memset(levels, 0, vertices * sizeof(*levels));
	root = edges[nr / 3].u;
	far = distances(edges, nr, vertices, root);
	component = 0;
	for (i = 0; i < nr; i++)
		component += far[edges[i].u] < 200;
	for (shift = 0; shift <= 3; shift++) {
		open_world(&w, edges, nr, vertices, shift);
		search(&w, (root + 1) % vertices);
		t = search(&w, root);
		CHECK(validate_levels(&t, levels, shift));
		for (i = 0; i < vertices; i++)
			CHECK(levels[i][shift] == far[i]);
		ends = 0;
		for (p = 0; p < 1u << shift; p++) {
			CHECK(validate_tree_edges(&t, &w.part[p], &of_part));
			ends += of_part;
		}
		CHECK(ends == 2 * component);
		CHECK(scale < 12 || shift != 1 || w.full);
		close_world(&w);
	}
	CHECK(!validate_edges(edges, nr, levels));
	free(far);
	free(levels);
	free(edges);
}

/* 0-1-2-3-0, 3-4, and 5-6 apart from it, from the root 0. */
static const struct edge small[] = {
	{ 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 3, 4 }, { 5, 6 }
};

#define NONE	VALIDATE_NONE

static const uint32_t good[8] = { 0, 0, 1, 0, 3, NONE, NONE, NONE };

enum fault {
	FAULT_NONE,
	FAULT_TREE = 1,
	FAULT_EDGES = 2,
	FAULT_TREE_EDGES = 4,
};

/* What validation says if the parent of @vertex is @parent. */
static unsigned int faults(uint64_t vertex, uint32_t parent)
{
	struct tree t = { .vertices = 8 };
	uint32_t parents[8];
	static tree_levels levels[8];
	static struct world w;
	unsigned int broken, found = FAULT_NONE;
	uint64_t ends;

	memset(levels, 0, sizeof(levels));
	memcpy(parents, good, sizeof(parents));
	t.parent[0] = parents;
	CHECK(validate_levels(&t, levels, 3));
	parents[vertex] = parent;
	if (!validate_levels(&t, levels, 15))
		return FAULT_TREE;
	open_world(&w, small, 6, 8, 0);
	broken = validate_edges(small, 6, levels);
	/* The tree beside it is valid. */
	CHECK(!(broken & ~(1u << 15)));
	if (broken)
		found |= FAULT_EDGES;
	if (!validate_tree_edges(&t, &w.part[0], &ends))
		found |= FAULT_TREE_EDGES;
	close_world(&w);
	return found;
}

static void invalid(void)
{
	CHECK(faults(0, 0) == FAULT_NONE);
	CHECK(faults(2, 3) == FAULT_NONE);		/* another tree that is as good */
	CHECK(faults(0, 1) == FAULT_TREE);		/* the root has a parent */
	CHECK(faults(0, NONE) == FAULT_TREE);		/* or is not in the tree */
	CHECK(faults(1, 2) == FAULT_TREE);		/* 1 and 2 lead to each other */
	CHECK(faults(4, 4) == FAULT_TREE);		/* a second root */
	CHECK(faults(4, 8) == FAULT_TREE);		/* a parent that there is not */
	CHECK(faults(4, 5) == FAULT_TREE);		/* one that is not in the tree */
	CHECK(faults(3, 2) == FAULT_EDGES);		/* a detour: 0-3 skips two levels */
	CHECK(faults(4, NONE) == FAULT_EDGES);		/* the component is not spanned */
	CHECK(faults(4, 1) == FAULT_TREE_EDGES);	/* the right level, but no such edge */
	CHECK(faults(7, 0) == FAULT_TREE_EDGES);	/* one from outside, by no edge */
	CHECK(faults(5, 0) == (FAULT_EDGES | FAULT_TREE_EDGES));
}

/* A path from 0 upwards, of @vertices. */
static bool valid_path(unsigned int vertices)
{
	uint32_t parents[VALIDATE_MAX_LEVEL + 2], i;
	static tree_levels levels[VALIDATE_MAX_LEVEL + 2];
	struct tree t = { .vertices = vertices };

	for (i = 0; i < vertices; i++)
		parents[i] = i ? i - 1 : 0;
	t.parent[0] = parents;
	return validate_levels(&t, levels, 0) && levels[vertices - 1][0] == vertices - 1;
}

int main(void)
{
	uint64_t seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		chances(10, seed);
		chances(13, seed);
		searches(6, seed);
		searches(9, seed);
	}
	searches(12, 1);
	repeatable();
	rows();
	loop_alone();
	invalid();
	CHECK(valid_path(VALIDATE_MAX_LEVEL + 1));
	CHECK(!valid_path(VALIDATE_MAX_LEVEL + 2));
	return check_report();
}
