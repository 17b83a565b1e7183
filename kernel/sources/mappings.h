/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Which mappings are worth a look
 */
#ifndef PGHOT_SOURCES_MAPPINGS_H
#define PGHOT_SOURCES_MAPPINGS_H

#include <linux/types.h>

struct folio;
struct vm_area_struct;

struct folio *pghot_mapped_folio(unsigned long pfn);
bool pghot_mapping_moves(struct vm_area_struct *vma, bool bound);

#endif /* PGHOT_SOURCES_MAPPINGS_H */
