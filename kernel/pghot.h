/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What a source of hotness may call
 *
 * Sources within pghot include this header, and so do other modules that report accesses. Nothing
 * else of pghot is meant for other modules.
 */
#ifndef PGHOT_H
#define PGHOT_H

#include <linux/timekeeping.h>
#include <linux/types.h>

struct folio;

/* Places of sources in enabled_sources, of which each has one. */
#define PGHOT_MAX_SRC		16

/* That of drivers and other modules. */
#define PGHOT_SRC_HWHINTS	1

/**
 * pghot_clock() - the time that records are kept in
 *
 * Any context, NMI included.
 *
 * Return: monotonic time, ns.
 */
static inline u64 pghot_clock(void)
{
	return ktime_get_mono_fast_ns();
}

u64 pghot_memory(void);
int pghot_record_access(unsigned long pfn, int nid, unsigned int src, u64 when);
long pghot_record_range(unsigned long start, unsigned long nr, int nid, unsigned int src,
			u64 when, unsigned int weight);
int pghot_record_folio(struct folio *folio, int nid, unsigned int src, u64 when);

#endif /* PGHOT_H */
