/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Promoting isolated folios in batches
 */
#ifndef PGHOT_PROMOTE_PROMOTER_H
#define PGHOT_PROMOTE_PROMOTER_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct candidate;
struct delayed_work;
struct folio;
struct promote_batch;
struct tunable;

/**
 * struct promoter - the batches of one kmigrated
 * @nid: slow node that it promotes from
 * @pool: all batches
 * @lock: protects @free and @nr_sent
 * @free: batches that are neither being filled nor on their way
 * @nr_sent: how many are on their way
 * @returned: woken when one has come back
 * @open: batches being filled, the oldest first; kmigrated's own
 * @nr_open: how many these are
 * @promoted: base pages promoted since pghot_promoter_finish() last told
 */
struct promoter {
	int nid;
	struct promote_batch *pool;
	spinlock_t lock; /* of @free and @nr_sent */
	struct list_head free;
	unsigned int nr_sent;
	wait_queue_head_t returned;
	struct list_head open;
	unsigned int nr_open;
	atomic_t promoted;
};

extern struct tunable pghot_kmigrated_batch_nr;

int pghot_workers_init(void);
void pghot_workers_exit(void);
void pghot_workers_queue(struct delayed_work *work, int nid, unsigned long delay);
unsigned int pghot_promoter_on_way(int nid);

int pghot_promoter_init(struct promoter *promoter, int nid);
void pghot_promoter_exit(struct promoter *promoter);
bool pghot_promoter_is_dirty(struct folio *folio);
bool pghot_promoter_isolate(struct folio *folio);
void pghot_promoter_add(struct promoter *promoter, struct folio *folio,
			const struct candidate *c);
unsigned int pghot_promoter_finish(struct promoter *promoter);

#endif /* PGHOT_PROMOTE_PROMOTER_H */
