// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/mm_inline.h>

#include "promote.h"
#include "stats.h"
#include "tunables.h"
#include "wrapper/folio.h"
#include "wrapper/memcg.h"

/**
 * promote_batch_init() - start with an empty batch
 * @batch: the batch
 * @nid: node that its folios go to
 */
void promote_batch_init(struct promote_batch *batch, int nid)
{
	INIT_LIST_HEAD(&batch->folios);
	batch->nr_pages = 0;
	batch->memcg = NULL;
	batch->nid = nid;
}

/**
 * promote_isolate() - take a folio for promotion, if it can be promoted
 * @folio: the folio, referenced by the caller
 *
 * Process context.
 *
 * Return: false if it must stay. Dirty file folios stay, as many file systems
 * cannot move them without writing them first; so do pinned ones.
 */
bool promote_isolate(struct folio *folio)
{
	if (folio_is_file_lru(folio) && (folio_test_dirty(folio) || folio_test_writeback(folio))) {
		stats_add(STAT_REFUSED_DIRTY, folio_nr_pages(folio));
		return false;
	}
	if (folio_maybe_dma_pinned(folio) || !folio_isolate(folio)) {
		stats_add(STAT_REFUSED_ISOLATE, folio_nr_pages(folio));
		return false;
	}
	return true;
}

/**
 * promote_add() - put an isolated folio into a batch
 * @batch: the batch
 * @folio: the folio, which promote_isolate() took
 *
 * Process context, sleeps: the batch is promoted first if it belongs to another
 * memory cgroup, and afterwards if it is full.
 *
 * Return: number of base pages promoted.
 */
unsigned int promote_add(struct promote_batch *batch, struct folio *folio)
{
	struct mem_cgroup *memcg = memcg_get(folio);
	unsigned int promoted = 0;

	if (memcg != batch->memcg) {
		promoted = promote_flush(batch);
		batch->memcg = memcg;
	} else {
		memcg_put(memcg);
	}

	list_add_tail(&folio->lru, &batch->folios);
	batch->nr_pages += folio_nr_pages(folio);
	if (batch->nr_pages >= READ_ONCE(pghot_kmigrated_batch_nr))
		promoted += promote_flush(batch);
	return promoted;
}

/**
 * promote_flush() - promote what a batch holds
 * @batch: the batch, empty afterwards
 *
 * Process context, sleeps.
 *
 * Return: number of base pages promoted.
 */
unsigned int promote_flush(struct promote_batch *batch)
{
	unsigned int promoted = 0;

	if (batch->nr_pages) {
		promoted = folios_migrate(&batch->folios, batch->nid);
		stats_inc(STAT_BATCHES);
		stats_add(STAT_MIGRATE_FAILED, batch->nr_pages - promoted);
	}
	if (promoted) {
		stats_add(STAT_PROMOTED, promoted);
		memcg_count_promoted(batch->memcg, batch->nid, promoted);
	}
	memcg_put(batch->memcg);
	promote_batch_init(batch, batch->nid);
	return promoted;
}
