/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Isolating and migrating folios
 */
#ifndef PGHOT_WRAPPER_FOLIO_H
#define PGHOT_WRAPPER_FOLIO_H

#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/types.h>

struct list_head;

/**
 * struct folio_move - where folios go, and why
 * @nid: the node, with memory
 * @demotes: it is slower than where they are
 * @cpus: CPUs that one of their processes runs on, at most; 0 if unknown
 * @goes_to: told of the first page of each folio's new place, before it is known whether the
 *	folio can be moved; NULL if nobody wants to know
 */
struct folio_move {
	int nid;
	bool demotes;
	unsigned int cpus;
	void (*goes_to)(unsigned long pfn);
};

/**
 * pghot_folio_nid() - the node that a folio is on
 * @folio: the folio; the caller keeps it from being freed
 *
 * Any context.
 */
static inline int pghot_folio_nid(const struct folio *folio)
{
	/* Others may change flags in the same word meanwhile, but not the bits of the node. */
	return data_race(folio_nid(folio));
}

struct folio *pghot_folio_get(unsigned long pfn);
unsigned int pghot_folio_scan_latency_ms(struct folio *folio);
bool pghot_folio_isolate(struct folio *folio);
unsigned int pghot_folios_migrate(struct list_head *folios, const struct folio_move *move,
				  struct list_head *failed);
void pghot_folios_putback(struct list_head *folios);
bool pghot_folio_split(struct folio *folio);
bool pghot_folio_may_be_lru(struct folio *folio);
bool pghot_folio_is_pinned(struct folio *folio);
bool pghot_folio_maybe_shared(struct folio *folio);

#endif /* PGHOT_WRAPPER_FOLIO_H */
