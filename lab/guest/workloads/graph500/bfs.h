/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One part's share of a breadth-first search, level by level from the top. A part touches its
 * own memory only: visits of other parts' vertices are collected in a mail for each, as
 * messages are, and taken from there by their owner. Who calls keeps all parts in step: in a
 * round all scan, then all receive from all, then all mails are empty again.
 */
#ifndef LAB_BFS_H
#define LAB_BFS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph.h"

#define BFS_NONE	UINT64_MAX	/* the parent of a vertex that was not reached */
#define BFS_MAIL_VISITS	4095		/* with their number, 32 KiB */

/* Places in their parts: of the vertex that is visited, and of its parent. */
struct bfs_visit {
	uint32_t vertex, parent;
};

struct bfs_mail {
	uint64_t nr;
	struct bfs_visit visit[BFS_MAIL_VISITS];
};

struct bfs {
	const struct graph_part *graph;
	uint64_t *parent;		/* by place, as vertex */
	uint64_t *visited;		/* a bit for each place */
	uint32_t *frontier, *next;	/* places */
	uint64_t nr_frontier, nr_next;
	uint64_t at, done;		/* next in the frontier, neighbours done of its row */
	struct bfs_mail *mail;		/* to each part */
};

/* Words of bfs.visited. */
static inline uint64_t bfs_visited_words(uint64_t vertices)
{
	return (vertices + 63) / 64;
}

/* Nothing is reached any more. */
void bfs_clear(struct bfs *b);

/* If the part has @root, its frontier begins with it. */
void bfs_begin(struct bfs *b, uint64_t root);

/* Scan on until a mail is full, which is false, or the frontier at its end. */
bool bfs_scan(struct bfs *b);

/* Take what the part @from has sent here. */
void bfs_receive(struct bfs *b, const struct bfs_mail *mail, unsigned int from);

/* All have received what this part sent. */
void bfs_sent(struct bfs *b);

/* What was reached becomes the frontier. */
void bfs_next_level(struct bfs *b);

#endif
