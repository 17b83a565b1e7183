// SPDX-License-Identifier: GPL-2.0
/*
 * Takes pages of a node for the kernel, when it is loaded: half of them as pages, half for a
 * slab. They are given back when it is unloaded.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static int nid;
module_param(nid, int, 0);
MODULE_PARM_DESC(nid, "Node whose pages are taken");

static ulong nr_pages;
module_param(nr_pages, ulong, 0);
MODULE_PARM_DESC(nr_pages, "How many");

static void **taken;

static void give_back(void)
{
	unsigned long i;

	for (i = 0; i < nr_pages; i++) {
		if (i % 2)
			kfree(taken[i]);
		else
			free_page((unsigned long)taken[i]);
	}
	vfree(taken);
}

static int __init taker_init(void)
{
	unsigned long i;

	taken = vcalloc(nr_pages, sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	for (i = 0; i < nr_pages; i++) {
		if (i % 2) {
			taken[i] = kmalloc_node(PAGE_SIZE, GFP_KERNEL | __GFP_THISNODE, nid);
		} else {
			struct page *page = alloc_pages_node(nid, GFP_KERNEL | __GFP_THISNODE, 0);

			taken[i] = page ? page_address(page) : NULL;
		}
		if (!taken[i]) {
			give_back();
			return -ENOMEM;
		}
	}
	return 0;
}

static void __exit taker_exit(void)
{
	give_back();
}

module_init(taker_init);
module_exit(taker_exit);

MODULE_DESCRIPTION("Takes pages for the kernel");
MODULE_LICENSE("GPL");
