/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Promotion: isolated folios, in batches, to a fast node.
 */
#ifndef PGHOT_PROMOTE_H
#define PGHOT_PROMOTE_H

#include <linux/list.h>
#include <linux/types.h>

struct folio;
struct mem_cgroup;

/**
 * struct promote_batch - isolated folios of one memory cgroup for one node
 * @folios: the folios
 * @nr_pages: their size, in base pages
 * @memcg: the cgroup, referenced; NULL for none
 * @nid: the node
 */
struct promote_batch {
	struct list_head folios;
	unsigned int nr_pages;
	struct mem_cgroup *memcg;
	int nid;
};

void promote_batch_init(struct promote_batch *batch, int nid);
bool promote_isolate(struct folio *folio);
unsigned int promote_add(struct promote_batch *batch, struct folio *folio);
unsigned int promote_flush(struct promote_batch *batch);

#endif /* PGHOT_PROMOTE_H */
