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

#include "core/slow.h"
#include "pghot.h"
#include "sources/sources.h"
#include "wrapper/divert.h"

/* Place in enabled_sources. */
#define PAGECACHE_BIT	3

PGHOT_RECORDED(recorded_pagecache, PAGECACHE_BIT);

/* The folio is the caller's, and does not go away. */
static void notrace pagecache_seen(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)divert_arg(fregs, 0);

	if (pghot_is_slow(folio_nid(folio)) && !folio_mapped(folio))
		pghot_record_folio(folio, numa_node_id(), PAGECACHE_BIT, pghot_clock());
}

static struct divert pagecache_watch = {
	.function = "folio_mark_accessed",
	.handler = pagecache_seen,
};

static int pagecache_start(void)
{
	return pghot_source_watch(&pghot_pagecache_source, &pagecache_watch);
}

static void pagecache_stop(void)
{
	pghot_watch_stop(&pagecache_watch);
}

struct pghot_source pghot_pagecache_source = {
	.name = "pagecache",
	.title = "page cache",
	.bit = PAGECACHE_BIT,
	.start = pagecache_start,
	.stop = pagecache_stop,
	.part.counters = COUNTERS(COUNTER(recorded_pagecache)),
};
