/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_MEMORY_HOTPLUG_H
#define _LINUX_MEMORY_HOTPLUG_H

#include <linux/mm.h>

static inline struct page *pfn_to_online_page(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);

	return test_bit(PG_online, &page->flags) ? page : NULL;
}

#endif /* _LINUX_MEMORY_HOTPLUG_H */
