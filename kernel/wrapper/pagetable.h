/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Page tables of processes and their accessed bits
 */
#ifndef PGHOT_WRAPPER_PAGETABLE_H
#define PGHOT_WRAPPER_PAGETABLE_H

#include <linux/mm.h>
#include <linux/pagewalk.h>

const char *pghot_pagetable_lacks(void);
int pghot_pagetable_walk(struct mm_struct *mm, unsigned long start, unsigned long end,
			 const struct mm_walk_ops *ops, void *private);
pte_t *pghot_pagetable_lock_ptes(struct mm_struct *mm, pmd_t *pmd,
				 unsigned long addr, spinlock_t **ptl);
bool pghot_pagetable_clear_young_pte(struct vm_area_struct *vma, unsigned long addr, pte_t *pte);
bool pghot_pagetable_clear_young_pmd(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd);
bool pghot_pagetable_skip_table(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd);
void pghot_pagetable_forget_cached(struct mm_struct *mm);
bool pghot_pagetable_policy_moves(struct vm_area_struct *vma);

#endif /* PGHOT_WRAPPER_PAGETABLE_H */
