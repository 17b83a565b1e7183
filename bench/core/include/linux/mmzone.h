/* SPDX-License-Identifier: GPL-2.0 */
/* As on x86-64, of 46 bits of physical address. */
#ifndef _LINUX_MMZONE_H
#define _LINUX_MMZONE_H

#include <linux/list.h>
#include <linux/nodemask.h>

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1ul << PAGE_SHIFT)
#define PFN_SECTION_SHIFT	15
#define PAGES_PER_SECTION	(1ul << PFN_SECTION_SHIFT)
#define NR_MEM_SECTIONS		(1ul << 19)
#define pageblock_nr_pages	512ul

#define pfn_to_section_nr(pfn)	((pfn) >> PFN_SECTION_SHIFT)
#define node_start_pfn(nid)	((void)(nid), 0ul)
#define node_end_pfn(nid)	((void)(nid), ~0ul)
#define section_nr_to_pfn(nr)	((nr) << PFN_SECTION_SHIFT)

#endif /* _LINUX_MMZONE_H */
