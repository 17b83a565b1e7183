// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Walking page tables and clearing accessed bits
 *
 * The kernel's functions for this are resolved by name. Secondary page tables, for example those
 * of a guest, are asked through MMU notifiers.
 */
#include <linux/mempolicy.h>
#include <linux/mmu_notifier.h>

#include <asm/tlbflush.h>

#include "wrapper/functions.h"
#include "wrapper/pagetable.h"

static bool has_symbols(void)
{
	return static_call_query(pghot_walk_page_range) &&
	       static_call_query(pghot_pte_offset_map_lock) &&
	       static_call_query(pghot_ptep_test_and_clear_young) &&
	       static_call_query(pghot_pmdp_test_and_clear_young) &&
	       (static_call_query(pghot___mmu_notifier_clear_young) ||
		!IS_ENABLED(CONFIG_MMU_NOTIFIER)) &&
	       static_call_query(pghot_flush_tlb_mm_range) &&
	       static_call_query(pghot_vma_policy_mof);
}

/**
 * pghot_pagetable_lacks() - what scanning accessed bits needs and this kernel has not
 *
 * Any context.
 *
 * Return: what is missing, for the log; NULL if nothing is.
 */
const char *pghot_pagetable_lacks(void)
{
	if (!has_symbols())
		return "a symbol that the scanner needs";
	return IS_ENABLED(CONFIG_PAGE_IDLE_FLAG) ? NULL : "idle flags (CONFIG_PAGE_IDLE_FLAG)";
}

/**
 * pghot_pagetable_walk() - walk_page_range()
 * @mm: address space, with its mmap_lock held
 * @start: first address
 * @end: address behind the last
 * @ops: what to call
 * @private: for what is called
 *
 * Process context.
 *
 * Return: what the last called returned, if not 0; else 0, or -errno.
 */
int pghot_pagetable_walk(struct mm_struct *mm, unsigned long start, unsigned long end,
			 const struct mm_walk_ops *ops, void *private)
{
	return static_call(pghot_walk_page_range)(mm, start, end, ops, private);
}

/**
 * pghot_pagetable_lock_ptes() - pte_offset_map_lock()
 * @mm: address space, with its mmap_lock held
 * @pmd: entry that leads to a table of PTEs
 * @addr: address
 * @ptl: where to leave the lock
 *
 * Process context. pte_unmap_unlock() undoes it.
 *
 * Return: the PTE of @addr, mapped and locked; NULL if there is no table.
 */
pte_t *pghot_pagetable_lock_ptes(struct mm_struct *mm, pmd_t *pmd,
				 unsigned long addr, spinlock_t **ptl)
{
	return static_call(pghot_pte_offset_map_lock)(mm, pmd, addr, ptl);
}

/* Others that map this memory, above all guests of KVM, have accessed bits of their own. */
static bool others_clear_young(struct mm_struct *mm, unsigned long start, unsigned long size)
{
	return mm_has_notifiers(mm) &&
	       static_call(pghot___mmu_notifier_clear_young)(mm, start, start + size);
}

/**
 * pghot_pagetable_clear_young_pte() - was this page accessed? If so, forget it
 * @vma: mapping
 * @addr: address
 * @pte: its PTE, locked
 *
 * Any context. Accesses through secondary page tables count.
 */
bool pghot_pagetable_clear_young_pte(struct vm_area_struct *vma, unsigned long addr, pte_t *pte)
{
	bool young = static_call(pghot_ptep_test_and_clear_young)(vma, addr, pte);

	return others_clear_young(vma->vm_mm, addr, PAGE_SIZE) || young;
}

/**
 * pghot_pagetable_clear_young_pmd() - was this huge page accessed? If so, forget it
 * @vma: mapping
 * @addr: address
 * @pmd: its PMD, present, huge and locked
 *
 * Any context. Accesses through secondary page tables count.
 */
bool pghot_pagetable_clear_young_pmd(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd)
{
	bool young = static_call(pghot_pmdp_test_and_clear_young)(vma, addr, pmd);

	return others_clear_young(vma->vm_mm, addr & PMD_MASK, PMD_SIZE) || young;
}

static void clear_young_table(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd)
{
	spinlock_t *ptl = pmd_lock(vma->vm_mm, pmd);
	pmd_t entry = pmdp_get(pmd);

	/* It may have become something else, whose bits mean something else. */
	if (pmd_present(entry) && !pmd_leaf(entry))
		static_call(pghot_pmdp_test_and_clear_young)(vma, addr, pmd);
	spin_unlock(ptl);
}

/**
 * pghot_pagetable_skip_table() - is a table of PTEs known to hold no young one?
 * @vma: mapping, that all of the table belongs to
 * @addr: address
 * @pmd: entry that leads to the table, not locked
 *
 * Process context. The accessed bit of the table is cleared by this. So if the answer is no, all
 * PTEs have to be looked at. The answer is always no if processors keep no accessed bits for
 * tables, and for address spaces that others map.
 */
bool pghot_pagetable_skip_table(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd)
{
	pmd_t entry = pmdp_get_lockless(pmd);

	if (!arch_has_hw_nonleaf_pmd_young() || mm_has_notifiers(vma->vm_mm))
		return false;
	if (pmd_present(entry) && !pmd_leaf(entry) && !pmd_young(entry))
		return true;
	clear_young_table(vma, addr, pmd);
	return false;
}

/**
 * pghot_pagetable_forget_cached() - have processors set accessed bits again
 * @mm: address space
 *
 * Process context. A processor sets no bit when it finds a page in its TLB. So a page that is hot
 * enough to stay there would look idle. One flush is enough for all bits that were cleared.
 */
void pghot_pagetable_forget_cached(struct mm_struct *mm)
{
	static_call(pghot_flush_tlb_mm_range)(mm, 0, TLB_FLUSH_ALL, 0, false);
}

/**
 * pghot_pagetable_policy_moves() - may memory of this mapping go to the node that uses it?
 * @vma: mapping, under its mmap_lock
 *
 * Process context. Judges the mapping's own policy, not that of its process.
 */
bool pghot_pagetable_policy_moves(struct vm_area_struct *vma)
{
	return static_call(pghot_vma_policy_mof)(vma);
}
