// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Testing and clearing accessed bits
 *
 * This is done in such a way that nobody else is misled.
 *
 *   - When a bit is cleared, the folio's young flag is set. So reclaim still learns of the
 *     access, as it does when DAMON clears a bit.
 *   - The folio's idle flag says that an access to it has been waited for. When a page is met
 *     for the first time its bit only says that it was accessed since it was mapped, which may
 *     have been long ago.
 *   - Memory may be mapped by something else besides the process, as a guest's memory is by
 *     its virtual machine. The accessed bits that are kept there are asked for, too.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/page_idle.h>
#include <linux/sched/mm.h>

#include "core/slow.h"
#include "pghot.h"
#include "sources/accessed/accessed.h"
#include "sources/mappings.h"
#include "wrapper/folio.h"
#include "wrapper/pagetable.h"

/*
 * What an entry takes from the budget if secondary page tables have to be asked, too. KVM looks the
 * address up in the guest's memory, takes the lock of all page tables of the guest, and walks
 * these. That touches some twenty cache lines and takes up to 2 us. An entry without this takes
 * 0.12 us. A huge page of the process may be as many small pages there.
 */
#define ASKED		16
#define ASKED_HUGE	HPAGE_PMD_NR

/*
 * Are accessed bits of this address space to be cleared? If all of it was on fast nodes, its
 * entries are only looked at to see where its memory is, and no bit is cleared until slow memory
 * is met. Pages of the kernel do not count as slow memory, wherever they are.
 */
static bool watched(struct accessed_mm *m, unsigned long pfn)
{
	struct folio *folio;

	if (!m->met_slow && pghot_may_be_slow(pfn)) {
		folio = pghot_mapped_folio(pfn);
		if (folio && pghot_is_slow(pghot_folio_nid(folio))) {
			m->met_slow = true;
			m->watched = true;
		}
	}
	return m->watched;
}

/* @nr pages of a folio were accessed. A folio is recorded once, however many PTEs map it. */
static void seen(struct accessed_walk *walk, struct folio *folio, unsigned long nr)
{
	int nid = pghot_folio_nid(folio);
	bool again = folio == walk->last;

	walk->cleared = true;
	if (!folio_test_young(folio))
		folio_set_young(folio);
	walk->last = folio;
	if (!pghot_is_slow(nid)) {
		walk->fast += nr;
		walk->m->used[nid] += nr;
		return;
	}
	walk->slow += nr;
	if (again)
		return;
	/* The first time it is not known who made it idle, and when. It may be long ago. */
	if (folio_test_idle(folio) && walk->since) {
		pghot_record_folio(folio, walk->m->nid, ACCESSED_BIT, walk->since);
	} else {
		folio_set_idle(folio);
		walk->waiting += nr;
	}
}

static void walk_huge(struct vm_area_struct *vma, pmd_t *pmd, unsigned long addr,
		      struct accessed_walk *walk)
{
	spinlock_t *ptl = pmd_lock(vma->vm_mm, pmd);
	pmd_t entry = pmdp_get(pmd);
	struct folio *folio;

	walk->budget--;
	if (pmd_present(entry) && pmd_trans_huge(entry)) {
		walk->pages += HPAGE_PMD_NR;
		folio = watched(walk->m, pmd_pfn(entry)) ?
			pghot_mapped_folio(pmd_pfn(entry)) : NULL;
		if (folio && mm_has_notifiers(vma->vm_mm))
			walk->budget -= ASKED_HUGE;
		if (folio && pghot_pagetable_clear_young_pmd(vma, addr, pmd))
			seen(walk, folio, HPAGE_PMD_NR);
	}
	spin_unlock(ptl);
}

static void walk_ptes(struct vm_area_struct *vma, pmd_t *pmd, unsigned long addr,
		      unsigned long end, struct accessed_walk *walk)
{
	/* Secondary page tables may have been used where this one was not. */
	bool all = mm_has_notifiers(vma->vm_mm);
	spinlock_t *ptl = NULL;
	pte_t *table = pghot_pagetable_lock_ptes(vma->vm_mm, pmd, addr, &ptl), *pte;
	struct folio *folio;

	if (!table)
		return;
	/* The locks are taken where sparse cannot see it. */
	__acquire(RCU);
	__acquire(ptl);
	walk->budget -= (end - addr) >> PAGE_SHIFT;
	for (pte = table; addr < end; pte++, addr += PAGE_SIZE) {
		pte_t entry = ptep_get(pte);

		if (!pte_present(entry) || pte_special(entry))
			continue;
		walk->pages++;
		if (!watched(walk->m, pte_pfn(entry)) || (!pte_young(entry) && !all))
			continue;
		folio = pghot_mapped_folio(pte_pfn(entry));
		if (folio && all)
			walk->budget -= ASKED;
		if (folio && pghot_pagetable_clear_young_pte(vma, addr, pte))
			seen(walk, folio, 1);
	}
	pte_unmap_unlock(table, ptl);
}

static int walk_pmd(pmd_t *pmd, unsigned long addr, unsigned long end, struct mm_walk *mm_walk)
{
	struct accessed_walk *walk = mm_walk->private;
	/* A table that is skipped does not tell where its memory is. */
	bool whole = end - addr == PMD_SIZE && walk->m->met_slow;

	if (pmd_trans_huge(pmdp_get_lockless(pmd))) {
		walk_huge(mm_walk->vma, pmd, addr, walk);
	} else if (whole && pghot_pagetable_skip_table(mm_walk->vma, addr, pmd)) {
		walk->budget--;
		walk->skipped++;
	} else {
		walk->cleared |= whole;
		walk_ptes(mm_walk->vma, pmd, addr, end, walk);
	}
	walk->next = end;
	return walk->budget <= 0;
}

static const struct mm_walk_ops walk_ops = {
	.pmd_entry = walk_pmd,
	.walk_lock = PGWALK_RDLOCK,
};

static void walk_vma(struct vm_area_struct *vma, struct accessed_walk *walk)
{
	unsigned long start = max(walk->next, vma->vm_start), end = vma->vm_end;

	if (walk->bytes < end - start)
		end = start + walk->bytes;
	walk->vmas++;
	if (pghot_pagetable_walk(vma->vm_mm, start, end, &walk_ops, walk) <= 0)
		walk->next = end;
	walk->bytes -= min(walk->bytes, walk->next - start);
}

static void walk_vmas(struct accessed_walk *walk)
{
	VMA_ITERATOR(vmi, walk->m->mm, walk->next);
	struct vm_area_struct *vma;

	for_each_vma(vmi, vma) {
		if (walk->budget <= 0 || !walk->bytes)
			return;
		walk->budget--;
		if (pghot_mapping_moves(vma, walk->m->bound))
			walk_vma(vma, walk);
		else
			walk->next = vma->vm_end;
	}
	walk->next = 0;
}

/**
 * pghot_accessed_walk() - look at a part of an address space
 * @walk: what to look at, and what was found, on top of what was before
 *
 * Process context. Begins at @walk->next, which is 0 when the end has been reached. Looks at
 * @walk->budget entries, and at most one table more. Entries that others map as well count for more
 * than one. Looks at no more than @walk->bytes of mappings. What it looked at is taken off both. It
 * waits for no locks except those of page tables.
 *
 * Return: 0; -EAGAIN if somebody changes the address space; -ESRCH if nobody uses it any
 * more.
 */
int pghot_accessed_walk(struct accessed_walk *walk)
{
	struct mm_struct *mm = walk->m->mm;
	int ret = -EAGAIN;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	if (mmap_read_trylock(mm)) {
		walk_vmas(walk);
		mmap_read_unlock(mm);
		ret = 0;
	}
	/* If this was the last user, freeing the address space takes long. A worker does it. */
	mmput_async(mm);
	return ret;
}
