/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Where a device says its registers are
 *
 * Whether a block of registers, of which a device says where it is, can be there.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_CHMU_BAR_H
#define PGHOT_SOURCES_CHMU_BAR_H

#include <linux/ioport.h>
#include <linux/types.h>

#include "sources/chmu/layout.h"

/**
 * chmu_bar_refuses() - what speaks against a block
 * @flags: of the BAR that it is in, as pci_resource_flags()
 * @offset: where in the BAR it begins, by the device's word
 * @end: where in the BAR the next block begins, or the BAR ends
 *
 * Return: the reason, NULL if there is none.
 */
static inline const char *chmu_bar_refuses(unsigned long flags, u64 offset, u64 end)
{
	if (offset >= end || end - offset < CHMU_INSTANCE)
		return "its registers are beyond the device's";
	if ((flags & (IORESOURCE_MEM | IORESOURCE_UNSET)) != IORESOURCE_MEM)
		return "its registers are in a BAR that is no memory";
	return NULL;
}

#endif /* PGHOT_SOURCES_CHMU_BAR_H */
