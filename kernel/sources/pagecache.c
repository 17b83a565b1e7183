// SPDX-License-Identifier: GPL-2.0
/*
 * Page cache that is read by system calls.
 *
 * Nobody maps such pages, so page tables and hint faults know nothing of them. Whatever
 * reads a page of a file for a system call tells folio_mark_accessed() about it, and
 * ftrace tells pghot. Folios that are mapped are left to the other sources: what the
 * kernel says of these are mostly not accesses, but mappings that end.
 */
#include <linux/mm.h>
#include <linux/topology.h>

#include "../pghot.h"
#include "../tiers.h"
#include "../wrapper/divert.h"
#include "sources.h"

/* The folio is the caller's, and does not go away. */
static void notrace pagecache_seen(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)divert_arg(fregs, 0);

	if (tiers_is_slow(folio_nid(folio)) && !folio_mapped(folio))
		pghot_record_folio(folio, numa_node_id(), PGHOT_SRC_PAGECACHE, pghot_clock());
}

static struct divert pagecache_watch = {
	.function = "folio_mark_accessed",
	.handler = pagecache_seen,
};

/**
 * pagecache_start() - record reads of the page cache
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno of sources_watch().
 */
int pagecache_start(void)
{
	return sources_watch("page cache", &pagecache_watch);
}

/**
 * pagecache_stop() - leave reads of the page cache alone again
 *
 * Process context, sleeps. On return no read is inside pghot.
 */
void pagecache_stop(void)
{
	watch_stop(&pagecache_watch);
}
