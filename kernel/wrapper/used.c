// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Was a folio used since somebody looked?
 *
 * Told by the accessed bits of all entries of page tables that map it. The kernel's own
 * folio_referenced() would count uses before that look as well: these are kept in the folio's idle
 * flags, for reclaim.
 */
#include <linux/page_idle.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>

#include "wrapper/functions.h"
#include "wrapper/pagetable.h"
#include "wrapper/used.h"
#include "wrapper/vmawalk.h"

/* One area. Returns false if it is known now. */
static bool find_use(struct folio *folio, struct vm_area_struct *vma, unsigned long addr, void *arg)
{
	struct page_vma_mapped_walk walk = pghot_vmawalk(folio, vma, addr);
	bool *used = arg;

	while (!*used && pghot_vmawalk_next(&walk)) {
		*used = walk.pte ? pghot_pagetable_clear_young_pte(vma, walk.address, walk.pte) :
				   pghot_pagetable_clear_young_pmd(vma, walk.address, walk.pmd);
		if (*used)
			pghot_vmawalk_done(&walk);
	}
	return !*used;
}

/**
 * pghot_folio_was_used() - was it used since its accessed bits were cleared?
 * @folio: the folio, mapped and referenced by the caller
 *
 * Process context, sleeps: a folio's lock and the locks of its mappings are only tried. Needs what
 * pghot_pagetable_lacks() asks for. Reclaim still sees the use.
 *
 * Return: true also if somebody holds one of the locks, so that it cannot be told.
 */
bool pghot_folio_was_used(struct folio *folio)
{
	bool used = false;
	struct rmap_walk_control rwc = {
		.arg = &used,
		.try_lock = true,
		.rmap_one = find_use,
		.anon_lock = pghot_vmawalk_lock_anon,
	};

	if (!folio_trylock(folio))
		return true;
	static_call(pghot_rmap_walk)(folio, &rwc);
	if (used && !folio_test_young(folio))
		folio_set_young(folio);
	folio_unlock(folio);
	return used || rwc.contended;
}
