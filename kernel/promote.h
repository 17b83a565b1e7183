/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Promotion: isolated folios, in batches, to fast nodes.
 */
#ifndef PGHOT_PROMOTE_H
#define PGHOT_PROMOTE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct folio;
struct promote_batch;

/**
 * struct promoter - the batches of one kmigrated
 * @pool: all batches
 * @open: the batch being filled, by target node, or NULL
 * @lock: protects @free
 * @free: batches that are neither open nor on their way
 * @nr: how many batches there are
 * @nr_free: how many are on @free
 * @returned: woken when a batch is free again
 * @promoted: base pages promoted since promoter_finish() last told
 */
struct promoter {
	struct promote_batch *pool;
	struct promote_batch **open;
	spinlock_t lock; /* of @free and @nr_free */
	struct list_head free;
	unsigned int nr;
	unsigned int nr_free;
	wait_queue_head_t returned;
	atomic_t promoted;
};

int promote_init(void);
void promote_exit(void);

int promoter_init(struct promoter *promoter);
void promoter_exit(struct promoter *promoter);
bool promote_isolate(struct folio *folio);
void promote_add(struct promoter *promoter, struct folio *folio, int nid);
unsigned int promoter_finish(struct promoter *promoter);

#endif /* PGHOT_PROMOTE_H */
