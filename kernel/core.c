// SPDX-License-Identifier: GPL-2.0
/*
 * The one door for every source of hotness.
 */
#include <linux/memory_hotplug.h>
#include <linux/memremap.h>
#include <linux/mm.h>

#include "hotmap.h"
#include "pghot.h"
#include "stats.h"
#include "tunables.h"

static_assert((int)PGHOT_NR_SRC == (int)STAT_RECORDED_ACCESSES);

static void record(const struct hot_slot *slot, int nid, u32 now)
{
	struct hot_section *section = slot->section;
	unsigned int line = slot->index / PGHOT_LINE;
	u32 window = READ_ONCE(pghot_window);
	u8 *rec = &section->rec[slot->index];
	u8 old, new;

	now = hotmap_line_exact(section, line, now);
	if (nid != NUMA_NO_NODE && READ_ONCE(section->accessor[line]) != nid)
		WRITE_ONCE(section->accessor[line], nid);

	old = READ_ONCE(*rec);
	do {
		new = pghot_rec_touch(old, now, window, READ_ONCE(pghot_freq_threshold));
	} while (!try_cmpxchg(rec, &old, new));

	stats_inc(STAT_RECORDED_ACCESSES);
	if (pghot_rec_ready(new)) {
		if (!pghot_rec_ready(old))
			stats_inc(STAT_MADE_READY);
		hotmap_mark_ready(slot);
	}
}

/**
 * pghot_record_folio() - record an access to a folio
 * @folio: the folio; the caller keeps it from being freed
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @src: where the access was seen
 * @now: when, as pghot_clock() tells
 *
 * Any context but NMI, under any lock.
 *
 * Return: 0 if recorded, -EINVAL for a wrong @nid or @src, -ENOENT for a folio
 * that pghot keeps no record for: not on a slow node, or not on the LRU.
 */
int pghot_record_folio(struct folio *folio, int nid, enum pghot_src src, u64 now)
{
	struct hot_slot slot;
	int ret = -ENOENT;

	if ((unsigned int)src >= PGHOT_NR_SRC)
		return -EINVAL;
	if (nid != NUMA_NO_NODE && (unsigned int)nid >= MAX_NUMNODES)
		return -EINVAL;

	stats_inc((enum pghot_stat)src);
	if (!folio_test_lru(folio))
		return -ENOENT;

	rcu_read_lock();
	if (hotmap_find(folio_pfn(folio), folio_nid(folio), &slot)) {
		record(&slot, nid, pghot_bucket(now));
		ret = 0;
	}
	rcu_read_unlock();
	return ret;
}

/**
 * pghot_record_access() - record an access to a page frame
 * @pfn: the page frame, any number
 * @nid: node of the accessing CPU, or NUMA_NO_NODE
 * @src: where the access was seen
 * @now: when, as pghot_clock() tells
 *
 * For sources that hold no reference: the page may have been freed, or taken
 * offline, since the access. Any context but NMI, under any lock.
 *
 * Return: as pghot_record_folio(); -ENXIO if there is no such page online.
 */
int pghot_record_access(unsigned long pfn, int nid, enum pghot_src src, u64 now)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;
	int ret = -ENOENT;

	if (!page || is_zone_device_page(page))
		return -ENXIO;
	if (!hotmap_is_slow(page_to_nid(page)))
		return -ENOENT;

	folio = page_folio(page);
	if (!folio_try_get(folio))
		return -ENOENT;
	if (folio == page_folio(page))
		ret = pghot_record_folio(folio, nid, src, now);
	folio_put(folio);
	return ret;
}
EXPORT_SYMBOL_GPL(pghot_record_access);
