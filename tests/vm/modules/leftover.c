// SPDX-License-Identifier: GPL-2.0
/*
 * Counts pages of a node by what the scanner of accessed bits has left in their flags.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/page_idle.h>

static int nid;
module_param(nid, int, 0);
MODULE_PARM_DESC(nid, "Node whose pages are counted");

static ulong young;
module_param(young, ulong, 0444);
MODULE_PARM_DESC(young, "Pages whose accesses reclaim still has to be told (read only)");

static ulong idle;
module_param(idle, ulong, 0444);
MODULE_PARM_DESC(idle, "Pages whose next access is waited for (read only)");

/* Anonymous order-0 folios on an LRU list: what programs of the tests map. */
static void look(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page || page_to_nid(page) != nid || !PageLRU(page) || PageCompound(page))
		return;
	folio = page_folio(page);
	if (!folio_try_get(folio))
		return;
	if (folio == page_folio(page) && folio_test_anon(folio)) {
		young += folio_test_young(folio);
		idle += folio_test_idle(folio);
	}
	folio_put(folio);
}

static int __init leftover_init(void)
{
	unsigned long pfn;

	for (pfn = node_start_pfn(nid); pfn < node_end_pfn(nid); pfn++)
		look(pfn);
	return 0;
}

static void __exit leftover_exit(void)
{
}

module_init(leftover_init);
module_exit(leftover_exit);
MODULE_DESCRIPTION("pghot test: counts pages by the scanner's flags");
MODULE_LICENSE("GPL");
