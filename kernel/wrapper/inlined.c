// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Functions of what arm64 has inline
 *
 * Some of what pagetable.c calls are functions of the kernel on x86, which are found by name. The
 * headers of arm64 have them inline. Here are functions that contain them. So the same static calls
 * are there on both.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/pgtable.h>

#include <asm/tlbflush.h>

#include "wrapper/functions.h"

#ifdef CONFIG_MMU_NOTIFIER
/*
 * The inline flush of the TLB calls the kernel's function of this name, which modules do not see.
 * This one takes its place in the module, and hands the call on.
 */
void __mmu_notifier_arch_invalidate_secondary_tlbs(struct mm_struct *mm, unsigned long start,
						   unsigned long end)
{
	static_call_cond(pghot___mmu_notifier_arch_invalidate_secondary_tlbs)(mm, start, end);
}
#endif

static typeof(ptep_test_and_clear_young(NULL, 0, NULL))
clear_young_pte(struct vm_area_struct *vma, unsigned long addr, pte_t *pte)
{
	return ptep_test_and_clear_young(vma, addr, pte);
}

static typeof(pmdp_test_and_clear_young(NULL, 0, NULL))
clear_young_pmd(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd)
{
	return pmdp_test_and_clear_young(vma, addr, pmd);
}

/* All of the address space, which is what pghot asks for. */
static void flush_mm(struct mm_struct *mm, unsigned long start, unsigned long end,
		     unsigned int stride_shift, bool freed_tables)
{
	flush_tlb_mm(mm);
}

DEFINE_STATIC_CALL(pghot_ptep_test_and_clear_young, clear_young_pte);
DEFINE_STATIC_CALL(pghot_pmdp_test_and_clear_young, clear_young_pmd);
DEFINE_STATIC_CALL(pghot_flush_tlb_mm_range, flush_mm);
