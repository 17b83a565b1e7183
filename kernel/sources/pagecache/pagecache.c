// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Page cache that system calls read
 *
 * Nobody maps such pages, so page tables and hint faults know nothing of them. Whatever reads a
 * page of a file for a system call calls folio_mark_accessed(), and ftrace tells pghot. Folios
 * that are mapped are left to other sources, because most of these calls for them are not made for
 * an access, but when a mapping ends.
 */
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/topology.h>

#include "core/slow.h"
#include "pghot.h"
#include "sources/sources.h"
#include "wrapper/divert.h"
#include "wrapper/folio.h"

/* Place in enabled_sources. */
#define PAGECACHE_BIT	3

PGHOT_DECLARE_SOURCE(pagecache);
PGHOT_RECORDED(recorded_pagecache, PAGECACHE_BIT);

/*
 * The caller of the function holds the folio, so that it does not go away. Newer kernels also call
 * it in a page fault, for all that the fault brings into memory and maps afterwards.
 */
static void notrace pagecache_seen(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)divert_arg(fregs, 0);

	if (pghot_is_slow(pghot_folio_nid(folio)) && !folio_mapped(folio) && !lru_gen_in_fault())
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
	/* No other source sees files that nobody maps. */
	.wanted = pghot_source_always,
	.start = pagecache_start,
	.stop = pagecache_stop,
	.part.counters = COUNTERS(COUNTER(recorded_pagecache)),
};
