/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Isolating and migrating folios
 */
#ifndef PGHOT_WRAPPER_FOLIO_H
#define PGHOT_WRAPPER_FOLIO_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/types.h>

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

/*
 * A list of isolated folios is its owner's. But anybody may ask page_folio() for one of them at the
 * same time. It reads the word of lru.next, in which bit 0 says that a page is a tail. No pointer
 * of a list has this bit, so lists are written plainly here as everywhere in the kernel.
 */
#define pghot_folio_list_write(expr) data_race((expr, 0))

/**
 * pghot_folio_add() - add an isolated folio to the end of a list
 * @folio: the folio, from pghot_folio_isolate()
 * @folios: the list
 *
 * The caller has the list for itself.
 */
static inline void pghot_folio_add(struct folio *folio, struct list_head *folios)
{
	pghot_folio_list_write(list_add_tail(&folio->lru, folios));
}

/**
 * pghot_folio_move() - move an isolated folio to the end of another list
 * @folio: the folio, which is on a list
 * @folios: the other list
 *
 * The caller has both lists for itself.
 */
static inline void pghot_folio_move(struct folio *folio, struct list_head *folios)
{
	pghot_folio_list_write(list_move_tail(&folio->lru, folios));
}

/**
 * pghot_folios_move() - move all folios of a list to the end of another one
 * @from: the list, empty afterwards
 * @to: the other list
 *
 * The caller has both lists for itself.
 */
static inline void pghot_folios_move(struct list_head *from, struct list_head *to)
{
	pghot_folio_list_write(list_splice_tail_init(from, to));
}

struct folio *pghot_folio_get(unsigned long pfn);
unsigned int pghot_folio_scan_latency_ms(struct folio *folio);
bool pghot_folio_isolate(struct folio *folio);
unsigned int pghot_folios_migrate(struct list_head *folios, const struct folio_move *move,
				  struct list_head *failed);
void pghot_folios_putback(struct list_head *folios);
bool pghot_folio_may_be_lru(struct folio *folio);
bool pghot_folio_is_pinned(struct folio *folio);
bool pghot_folio_maybe_shared(struct folio *folio);

#endif /* PGHOT_WRAPPER_FOLIO_H */
