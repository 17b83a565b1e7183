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

/**
 * struct use - what is asked of a folio
 * @again: its next use has to be seen as well
 * @found: it was used
 */
struct use {
	bool again;
	bool found;
};

/* One area. Returns false if it is known now. */
static bool find_use(struct folio *folio, struct vm_area_struct *vma, unsigned long addr, void *arg)
{
	struct page_vma_mapped_walk walk = pghot_vmawalk(folio, vma, addr);
	struct use *use = arg;

	while (!use->found && pghot_vmawalk_next(&walk)) {
		/* What a device has for itself alone has an entry without bits. */
		if (walk.pte && !pte_present(ptep_get(walk.pte)))
			continue;
		use->found = walk.pte ?
			pghot_pagetable_clear_young_pte(vma, walk.address, walk.pte) :
			pghot_pagetable_clear_young_pmd(vma, walk.address, walk.pmd);
		if (use->found)
			pghot_vmawalk_done(&walk);
	}
	if (use->found && use->again)
		pghot_pagetable_forget_cached(vma->vm_mm);
	return !use->found;
}

/**
 * pghot_folio_was_used() - was it used since its accessed bits were cleared?
 * @folio: the folio, mapped and referenced by the caller
 * @again: if so, have processors set the bits again when it is used for the next time
 *
 * Process context, sleeps: a folio's lock and the locks of its mappings are only tried. Needs what
 * pghot_pagetable_lacks() asks for. Reclaim still sees the use.
 *
 * Return: true also if somebody holds one of the locks, so that it cannot be told.
 */
bool pghot_folio_was_used(struct folio *folio, bool again)
{
	struct use use = { .again = again };
	struct rmap_walk_control rwc = {
		.arg = &use,
		.try_lock = true,
		.rmap_one = find_use,
		.anon_lock = pghot_vmawalk_lock_anon,
	};

	if (!folio_trylock(folio))
		return true;
	static_call(pghot_rmap_walk)(folio, &rwc);
	if (use.found && !folio_test_young(folio))
		folio_set_young(folio);
	folio_unlock(folio);
	return use.found || rwc.contended;
}
