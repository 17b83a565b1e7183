// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Having the kernel age a node
 *
 * The kernel's function for ageing is static. It is called as the kernel's own debugfs file calls
 * it, for each memory cgroup of a node.
 */
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "wrapper/aging.h"
#include "wrapper/functions.h"

#ifdef CONFIG_LRU_GEN_WALKS_MMU

/*
 * Of memory of processes and of files. It was called can_swap first, and is swappiness since 6.14,
 * of which any value from 1 to 200 stands for both.
 */
#define BOTH_TYPES	1

static bool enabled(int cap)
{
	return static_key_enabled(&pghot_lru_gen_caps[cap]);
}

/**
 * pghot_aging_lacks() - why page tables cannot be walked for the multi-gen LRU
 *
 * Any context.
 *
 * Return: what is missing, for the log; NULL if they can.
 */
const char *pghot_aging_lacks(void)
{
	if (!IS_ENABLED(CONFIG_PAGE_IDLE_FLAG))
		return "this kernel lacks idle flags (CONFIG_PAGE_IDLE_FLAG)";
	if (!static_call_query(pghot_try_to_inc_max_seq) ||
	    !static_call_query(pghot_mem_cgroup_iter) || !pghot_lru_gen_caps)
		return "this kernel does not let its ageing be called";
	if (!enabled(LRU_GEN_CORE) || !enabled(LRU_GEN_MM_WALK))
		return "/sys/kernel/mm/lru_gen/enabled lacks 1 or 2";
	return NULL;
}

/* Ages without shortcuts, as "+ MEMCG NODE MAX_SEQ 1 1" in /sys/kernel/debug/lru_gen does. */
static void age(struct lruvec *lruvec)
{
	static_call(pghot_try_to_inc_max_seq)(lruvec, READ_ONCE(lruvec->lrugen.max_seq), BOTH_TYPES,
					      true);
}

/* The LRU lists of a memory cgroup on a node; for NULL, those of the whole node. */
static struct lruvec *lruvec_of(struct mem_cgroup *memcg, int nid)
{
	return memcg ? &memcg->nodeinfo[nid]->lruvec : &NODE_DATA(nid)->__lruvec;
}

/**
 * pghot_aging_run() - have the kernel walk page tables for the folios of a node
 * @nid: node id, with memory
 *
 * A kernel thread of pghot's, sleeps. Accessed bits are cleared, and each folio that had
 * one becomes a member of the youngest generation, memory cgroup by memory cgroup.
 * Ends early if the thread is to stop.
 *
 * Return: false if the administrator has switched off what it needs, and nothing was done.
 */
bool pghot_aging_run(int nid)
{
	struct reclaim_state state = { };
	struct mem_cgroup *memcg;
	unsigned int flags;

	if (pghot_aging_lacks())
		return false;
	/* As in reclaim, the walk keeps what it needs here, and may use memory reserves for it. */
	current->reclaim_state = &state;
	flags = memalloc_noreclaim_save();
	memcg = static_call(pghot_mem_cgroup_iter)(NULL, NULL, NULL);
	do {
		struct lruvec *lruvec = lruvec_of(memcg, nid);

		/* A list that does not know its node has not been used by anybody yet. */
		if (lruvec_pgdat(lruvec) == NODE_DATA(nid) && !kthread_should_stop())
			age(lruvec);
		memcg = static_call(pghot_mem_cgroup_iter)(NULL, memcg, NULL);
	} while (memcg);
	memalloc_noreclaim_restore(flags);
	current->reclaim_state = NULL;
	kfree(state.mm_walk);
	return true;
}

#else

const char *pghot_aging_lacks(void)
{
	return "this kernel has no multi-gen LRU that walks page tables";
}

bool pghot_aging_run(int nid)
{
	return false;
}

#endif
