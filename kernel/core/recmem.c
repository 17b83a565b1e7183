// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Getting memory for records
 *
 * Records of random pages are read and written all the time, so that each access to them can miss
 * in the TLB. The kernel maps all memory with pages of 2 MiB or 1 GiB, but what vmalloc() gives has
 * a mapping of its own, of base pages. So records are whole blocks of the kernel's mapping as long
 * as there are any. The rest of a block is given back.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "core/recmem.h"
#include "core/textfile.h"
#include "testing/inject.h"

static atomic_long_t nr_bytes;

static ssize_t record_bytes_show(char *buf)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(&nr_bytes));
}

const struct textfile pghot_recmem_file = {
	.name = "record_bytes",
	.mode = 0444,
	.show = record_bytes_show,
};

/* A block of the kernel's mapping, without what it has beyond @size; NULL if there is none. */
static void *block_alloc(size_t size, int nid)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN;
	unsigned int order = get_order(size), i;
	struct page *page;

	if (pghot_inject(INJECT_BLOCK))
		return NULL;
	page = alloc_pages_node(nid, gfp, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = PFN_UP(size); i < 1u << order; i++)
		__free_page(page + i);
	return page_address(page);
}

/**
 * pghot_recmem_alloc() - memory for the records of a section
 * @size: bytes
 * @nid: node that it is to be on, if that has some
 *
 * Process context, sleeps.
 *
 * Return: memory that is zero, for pghot_recmem_free(); NULL if there is none.
 */
void *pghot_recmem_alloc(size_t size, int nid)
{
	void *records = inject_alloc(NULL, block_alloc(size, nid) ?: vzalloc_node(size, nid));

	if (records)
		atomic_long_add(PAGE_ALIGN(size), &nr_bytes);
	return records;
}

/**
 * pghot_recmem_free() - give it back
 * @records: what pghot_recmem_alloc() gave
 * @size: of this size, bytes
 *
 * Process context, sleeps.
 */
void pghot_recmem_free(void *records, size_t size)
{
	atomic_long_sub(PAGE_ALIGN(size), &nr_bytes);
	if (is_vmalloc_addr(records))
		vfree(records);
	else
		free_pages_exact(records, size);
}

/**
 * pghot_recmem_exit() - see that all was given back
 *
 * Process context. The kernel does not know whose such memory is, so that nobody else would see it.
 */
void pghot_recmem_exit(void)
{
	WARN_ON_ONCE(atomic_long_read(&nr_bytes));
}
