// SPDX-License-Identifier: GPL-2.0
#include "bfs.h"

#include <string.h>

void bfs_clear(struct bfs *b)
{
	uint64_t i;

	for (i = 0; i < b->graph->vertices; i++)
		b->parent[i] = BFS_NONE;
	memset(b->visited, 0, bfs_visited_words(b->graph->vertices) * sizeof(*b->visited));
	b->nr_frontier = 0;
	b->nr_next = 0;
	b->at = 0;
	b->done = 0;
}

static inline void visit(struct bfs *b, uint32_t vertex, uint64_t parent)
{
	uint64_t *word = &b->visited[vertex / 64], bit = UINT64_C(1) << vertex % 64;

	if (*word & bit)
		return;
	*word |= bit;
	b->parent[vertex] = parent;
	b->next[b->nr_next++] = vertex;
}

void bfs_begin(struct bfs *b, uint64_t root)
{
	const struct graph_part *g = b->graph;

	if (graph_owner(root, g->shift) != g->me)
		return;
	visit(b, graph_local(root, g->shift), root);
	bfs_next_level(b);
}

bool bfs_scan(struct bfs *b)
{
	const struct graph_part *g = b->graph;
	unsigned int shift = g->shift, me = g->me, owner;
	const uint64_t *to, *end;
	struct bfs_mail *mail;
	uint64_t vertex;
	uint32_t from;

	for (; b->at < b->nr_frontier; b->at++) {
		from = b->frontier[b->at];
		vertex = graph_vertex(from, me, shift);
		to = g->column + g->row[from] + b->done;
		end = g->column + g->row[from + 1];
		for (; to < end; to++) {
			owner = graph_owner(*to, shift);
			if (owner == me) {
				visit(b, graph_local(*to, shift), vertex);
				continue;
			}
			mail = &b->mail[owner];
			mail->visit[mail->nr].vertex = graph_local(*to, shift);
			mail->visit[mail->nr].parent = from;
			if (++mail->nr == BFS_MAIL_VISITS) {
				b->done = to + 1 - (g->column + g->row[from]);
				return false;
			}
		}
		b->done = 0;
	}
	return true;
}

void bfs_receive(struct bfs *b, const struct bfs_mail *mail, unsigned int from)
{
	const struct bfs_visit *v = mail->visit, *end = v + mail->nr;

	for (; v < end; v++)
		visit(b, v->vertex, graph_vertex(v->parent, from, b->graph->shift));
}

void bfs_sent(struct bfs *b)
{
	unsigned int to;

	for (to = 0; to < 1u << b->graph->shift; to++)
		b->mail[to].nr = 0;
}

void bfs_next_level(struct bfs *b)
{
	uint32_t *reached = b->next;

	b->next = b->frontier;
	b->frontier = reached;
	b->nr_frontier = b->nr_next;
	b->nr_next = 0;
	b->at = 0;
}
