/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Where a folio is mapped: areas of memory, and entries of page tables
 */
#ifndef PGHOT_WRAPPER_VMAWALK_H
#define PGHOT_WRAPPER_VMAWALK_H

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/spinlock.h>

#include "wrapper/functions.h"

/* What an anon_lock of struct rmap_walk_control is given. */
#ifdef PGHOT_HAS_CONST_ANON_LOCK
typedef const struct folio anon_lock_folio_t;
#else
typedef struct folio anon_lock_folio_t;
#endif

/**
 * pghot_vmawalk_lock_anon() - lock the areas that could map an anonymous folio, or try to
 * @folio: the folio
 * @rwc: what walks over them, of which this is @anon_lock
 *
 * Process context.
 */
static inline struct anon_vma *pghot_vmawalk_lock_anon(anon_lock_folio_t *folio,
						       struct rmap_walk_control *rwc)
{
	return static_call(pghot_folio_lock_anon_vma_read)(folio, rwc);
}

/**
 * pghot_vmawalk() - begin to look for them
 * @folio: the folio, locked
 * @vma: an area that could map it
 * @addr: where in it
 *
 * Return: for pghot_vmawalk_next().
 */
static inline struct page_vma_mapped_walk pghot_vmawalk(struct folio *folio,
							struct vm_area_struct *vma,
							unsigned long addr)
{
	DEFINE_FOLIO_VMA_WALK(walk, folio, vma, addr, 0);

	return walk;
}

/**
 * pghot_vmawalk_next() - find the next one
 * @walk: the search
 *
 * Process context.
 *
 * Return: true with @pte or @pmd set, and locked; false if there is none, with nothing locked.
 */
static inline bool pghot_vmawalk_next(struct page_vma_mapped_walk *walk)
{
	return static_call(pghot_page_vma_mapped_walk)(walk);
}

/**
 * pghot_vmawalk_done() - end after one was found
 * @walk: the search
 *
 * As page_vma_mapped_walk_done(): sparse cannot see that the search took these locks.
 */
static inline void pghot_vmawalk_done(struct page_vma_mapped_walk *walk)
{
	if (walk->pte) {
		__acquire(RCU);
		pte_unmap(walk->pte);
	}
	__acquire(ptl);
	spin_unlock(walk->ptl);
}

#endif /* PGHOT_WRAPPER_VMAWALK_H */
