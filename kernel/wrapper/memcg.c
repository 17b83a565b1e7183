// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Memory cgroups of folios, and their counters
 *
 * The cgroup that a folio is charged to is found with a reference. Promoted pages are counted in
 * the statistics of the kernel and of the cgroup, where the kernel counts its own promotions.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "testing/inject.h"
#include "wrapper/functions.h"
#include "wrapper/memcg.h"

/**
 * pghot_memcg_get() - the memory cgroup that a folio is charged to
 * @folio: the folio, referenced
 *
 * Any context.
 *
 * Return: the memory cgroup with a reference for pghot_memcg_put(), or NULL.
 */
struct mem_cgroup *pghot_memcg_get(struct folio *folio)
{
	struct mem_cgroup *memcg;

	if (pghot_inject(INJECT_UNCHARGED))
		return NULL;
	rcu_read_lock();
	do {
		memcg = folio_memcg(folio);
	} while (memcg && !css_tryget(&memcg->css));
	rcu_read_unlock();
	return memcg;
}

/**
 * pghot_memcg_put() - give a reference back
 * @memcg: from pghot_memcg_get(), may be NULL
 */
void pghot_memcg_put(struct mem_cgroup *memcg)
{
	if (memcg)
		css_put(&memcg->css);
}

/*
 * This does what mem_cgroup_lruvec() does, which needs a symbol that modules do not get. Memory
 * that was charged to no cgroup counts for the root cgroup.
 */
static struct lruvec *lruvec_of(struct mem_cgroup *memcg, int nid)
{
	struct lruvec *lruvec = &NODE_DATA(nid)->__lruvec;

	if (mem_cgroup_disabled())
		return lruvec;
	lruvec = &(memcg ?: *pghot_root_mem_cgroup)->nodeinfo[nid]->lruvec;
	/* The node may have come after the cgroup. */
	if (unlikely(lruvec_pgdat(lruvec) != NODE_DATA(nid)))
		lruvec->pgdat = NODE_DATA(nid);
	return lruvec;
}

/**
 * pghot_memcg_cgroup() - the control group of a memory cgroup
 * @memcg: from pghot_memcg_get(), may be NULL
 *
 * Any context.
 *
 * Return: the group, which lives as long as the reference to @memcg, or NULL.
 */
struct cgroup *pghot_memcg_cgroup(struct mem_cgroup *memcg)
{
	return memcg ? memcg->css.cgroup : NULL;
}

/**
 * pghot_memcg_put_cgroup() - give a reference to a control group back
 * @cgroup: the group
 *
 * Any context.
 */
void pghot_memcg_put_cgroup(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

/**
 * pghot_memcg_count_migrated() - count migrated pages where the kernel counts its own
 * @memcg: whose pages, or NULL
 * @nid: node that they went to
 * @nr_pages: how many, in base pages
 * @promoted: that node is a fast one
 *
 * Process context. Counts numa_pages_migrated and, if @promoted, pgpromote_success, in
 * /proc/vmstat and in memory.stat of the cgroup and its parents.
 */
void pghot_memcg_count_migrated(struct mem_cgroup *memcg, int nid, unsigned int nr_pages,
				bool promoted)
{
	unsigned long flags;

	count_vm_numa_events(NUMA_PAGE_MIGRATE, nr_pages);
	local_irq_save(flags);
	if (memcg)
		static_call(pghot_count_memcg_events)(memcg, NUMA_PAGE_MIGRATE, nr_pages);
	if (promoted)
		static_call(pghot_mod_lruvec_state)(lruvec_of(memcg, nid), PGPROMOTE_SUCCESS,
						    nr_pages);
	local_irq_restore(flags);
}

/**
 * pghot_memcg_count_demoted() - count demoted pages where the kernel counts its own
 * @nid: node that they were on
 * @nr_pages: how many, in base pages
 *
 * Process context. Counts pgdemote_kswapd in /proc/vmstat: like kswapd, pghot demotes in the
 * background.
 */
void pghot_memcg_count_demoted(int nid, unsigned int nr_pages)
{
	mod_node_page_state(NODE_DATA(nid), PGDEMOTE_KSWAPD, nr_pages);
}
