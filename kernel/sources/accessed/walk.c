// SPDX-License-Identifier: GPL-2.0
/*
 * Accessed bits, tested and cleared such that nobody else is misled:
 *
 *   - Reclaim finds cleared accesses in the folio's young flag, as it does those that
 *     DAMON clears.
 *   - The folio's idle flag tells that an access has been waited for. Of a page that is
 *     met for the first time the bit says only that it was accessed since it was mapped.
 *   - What maps the memory besides the process, as a virtual machine's monitor for its
 *     guest, is asked for its bits as well.
 */
#include <linux/dax.h>
#include <linux/hugetlb_inline.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/page_idle.h>
#include <linux/sched/mm.h>

#include "core/slow.h"
#include "pghot.h"
#include "sources/accessed/accessed.h"
#include "wrapper/pagetable.h"

/*
 * What an entry costs of the budget where it has to be asked for in secondary page tables, too.
 * KVM looks the address up in the guest's memory, takes the lock of all of the guest's page
 * tables and walks these down: some twenty cache lines, up to 2 us, where an entry takes 0.12
 * by itself. A huge page may be as many small ones there.
 */
#define ASKED		16
#define ASKED_HUGE	HPAGE_PMD_NR

/* The lock on the page table keeps the folio mapped. NULL if its accesses do not matter. */
static struct folio *mapped_folio(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page)
		return NULL;
	folio = page_folio(page);
	return folio_test_lru(folio) ? folio : NULL;
}

/*
 * Where all of a process was on fast nodes, its entries only tell where its memory is: no bit
 * is cleared until slow memory is met. Pages of the kernel, which may lie anywhere, are none.
 */
static bool watched(struct accessed_mm *m, unsigned long pfn)
{
	struct folio *folio;

	if (!m->met_slow && pghot_may_be_slow(pfn)) {
		folio = mapped_folio(pfn);
		if (folio && pghot_is_slow(folio_nid(folio))) {
			m->met_slow = true;
			m->watched = true;
		}
	}
	return m->watched;
}

/* @nr of its pages were accessed. However many PTEs map it, a folio counts once. */
static void seen(struct accessed_walk *walk, struct folio *folio, unsigned long nr)
{
	int nid = folio_nid(folio);
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
	/* Who made it idle, and when, is not known the first time: it may have been long ago. */
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
		folio = watched(walk->m, pmd_pfn(entry)) ? mapped_folio(pmd_pfn(entry)) : NULL;
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
	/* Where sparse cannot see it. */
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
		folio = mapped_folio(pte_pfn(entry));
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

/* The kernel's NUMA balancing scans the same mappings, and for the same reasons. */
static bool worth_it(struct vm_area_struct *vma, bool bound)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP) || is_vm_hugetlb_page(vma) ||
	    vma_is_dax(vma) || !vma_is_accessible(vma))
		return false;
	/* Libraries: in many processes, and in many caches. */
	if (vma->vm_file && (vma->vm_flags & (VM_READ | VM_WRITE)) == VM_READ)
		return false;
	return pghot_pagetable_policy_moves(vma) && (vma->vm_policy || !bound);
}

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
		if (worth_it(vma, walk->m->bound))
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
 * Process context. Looks at @walk->budget entries, of which those that others map as well
 * count for more, and at most one table more, and at
 * @walk->bytes of mappings, and takes what it looked at off both. Goes on from
 * @walk->next, which is 0 at the end. Waits for no lock but those of page tables.
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
	/* The last user's work, if that is us, is long. */
	mmput_async(mm);
	return ret;
}
