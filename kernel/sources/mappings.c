// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Which mappings, and which of their pages, are worth a look
 *
 * Which mappings, and which of their pages, are worth a look: for sources that look at page
 * tables.
 */
#include <linux/dax.h>
#include <linux/hugetlb_inline.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include "core/counter.h"
#include "sources/mappings.h"
#include "wrapper/pagetable.h"

/* Base pages of mappings that a memory policy keeps where they are, each time that they are met. */
PGHOT_COUNTER(left_bound);

/**
 * pghot_mapped_folio() - the folio that an entry of a page table maps
 * @pfn: the page frame number in it
 *
 * Any context, under the lock of the page table, which keeps the folio mapped.
 *
 * Return: it; NULL if its accesses do not matter, as it is on no LRU list.
 */
struct folio *pghot_mapped_folio(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page)
		return NULL;
	folio = page_folio(page);
	return folio_test_lru(folio) ? folio : NULL;
}

/**
 * pghot_mapping_moves() - can memory of a mapping be moved between nodes, and does that pay?
 * @vma: the mapping, under its mmap_lock
 * @bound: the memory policy of its process keeps its memory where it is
 *
 * Process context. The kernel's NUMA balancing scans the same mappings, for the same reasons.
 */
bool pghot_mapping_moves(struct vm_area_struct *vma, bool bound)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP) || is_vm_hugetlb_page(vma) ||
	    vma_is_dax(vma) || !vma_is_accessible(vma))
		return false;
	/* Libraries: in many processes, and in many caches. */
	if (vma->vm_file && (vma->vm_flags & (VM_READ | VM_WRITE)) == VM_READ)
		return false;
	if (pghot_pagetable_policy_moves(vma) && (vma->vm_policy || !bound))
		return true;
	pghot_count(left_bound, vma_pages(vma));
	return false;
}
