/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Lists of isolated folios
 */
#ifndef PGHOT_WRAPPER_FOLIOLIST_H
#define PGHOT_WRAPPER_FOLIOLIST_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mm.h>

/*
 * A list of isolated folios is its owner's. But anybody may ask page_folio() for one of them at the
 * same time. It reads the word of lru.next, in which bit 0 says that a page is a tail. No pointer
 * of a list has this bit, so lists are written plainly here as everywhere in the kernel.
 */
#define pghot_folio_list_write(expr) data_race(({ expr; true; }))

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

#endif /* PGHOT_WRAPPER_FOLIOLIST_H */
