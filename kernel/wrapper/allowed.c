// SPDX-License-Identifier: GPL-2.0
/*
 * To which nodes a folio may be moved. The sources of hotness do not know whose memory it
 * is, and the workers that move it have no cpuset and no memory policy of their own. So this
 * is the one place where the rules of its users are asked:
 *
 *   - A memory policy without MPOL_F_MOF ("migrate on fault") keeps memory where it is. All
 *     policies that a program sets are of this kind, unless it sets them with
 *     MPOL_F_NUMA_BALANCING. With MPOL_F_MOF, the nodes of MPOL_BIND and MPOL_PREFERRED_MANY
 *     are the limit. The kernel's own promotion does the same, see mpol_misplaced().
 *   - A cpuset's cpuset.mems is the limit for the memory of its processes, as it is for their
 *     allocations.
 *   - Executable code that several processes map stays, as in
 *     migrate_misplaced_folio_prepare(): libraries are in the caches of many CPUs, and have
 *     mappings by the thousands.
 *
 * A folio that is mapped is asked for by its mappings, all of them. A folio of a file that
 * nobody maps is asked for by the memory cgroup that it is charged to. Of a process with
 * threads of different memory policies, that of the thread that owns the address space
 * counts.
 *
 * The rules may change between the question and the move, as they may between the kernel's
 * own question and its move.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/nodemask.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>

#include "wrapper/allowed.h"
#include "wrapper/cpuset.h"
#include "wrapper/functions.h"
#include "wrapper/memcg.h"

/* The state of a walk over the mappings of a folio. */
struct allowed {
	nodemask_t *nodes;
	bool shared;	/* several processes map it */
	bool unknown;	/* somebody is changing an address space: it is to be asked again */
};

/* What the kernel's promotion may do with memory of this policy. */
static void limit_by_policy(const struct mempolicy *policy, nodemask_t *nodes)
{
	if (!(policy->flags & MPOL_F_MOF))
		nodes_clear(*nodes);
	else if (policy->mode == MPOL_BIND || policy->mode == MPOL_PREFERRED_MANY)
		nodes_and(*nodes, *nodes, policy->nodes);
}

static void put_shared_policy(struct mempolicy *policy)
{
	if (mpol_needs_cond_ref(policy))
		static_call(pghot___mpol_put)(policy);
}

/* The task that owns an address space: its cpuset, and its policy if the mapping has none. */
static void limit_by_owner(struct mm_struct *mm, bool has_policy, nodemask_t *nodes)
{
	struct task_struct *owner;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	if (owner) {
		/* Policy and mems_allowed are changed under this lock. */
		task_lock(owner);
		if (!has_policy && owner->mempolicy)
			limit_by_policy(owner->mempolicy, nodes);
		nodes_and(*nodes, *nodes, owner->mems_allowed);
		task_unlock(owner);
	}
	rcu_read_unlock();
}

/* One mapping, under the lock that keeps it in the list of the folio's mappings. */
static bool limit_by_mapping(struct folio *folio, struct vm_area_struct *vma, unsigned long addr,
			     void *arg)
{
	struct allowed *a = arg;
	struct mempolicy *policy;
	pgoff_t unused;

	if (a->shared && vma->vm_flags & VM_EXEC && folio_is_file_lru(folio)) {
		nodes_clear(*a->nodes);
		return false;
	}
	/* mbind() frees policies under it. A trylock, as it belongs outside of the lock above. */
	if (!mmap_read_trylock(vma->vm_mm)) {
		a->unknown = true;
		return false;
	}
	policy = static_call(pghot___get_vma_policy)(vma, addr, &unused);
	if (policy) {
		limit_by_policy(policy, a->nodes);
		put_shared_policy(policy);
	}
	limit_by_owner(vma->vm_mm, policy, a->nodes);
	mmap_read_unlock(vma->vm_mm);
	return !nodes_empty(*a->nodes);
}

static struct anon_vma *lock_anon(struct folio *folio, struct rmap_walk_control *rwc)
{
	return static_call(pghot_folio_lock_anon_vma_read)(folio, rwc);
}

static int limit_by_mappings(struct folio *folio, nodemask_t *nodes)
{
	struct allowed a = {
		.nodes = nodes,
		.shared = folio_likely_mapped_shared(folio),
	};
	struct rmap_walk_control rwc = {
		.arg = &a,
		.try_lock = true,
		.rmap_one = limit_by_mapping,
		.anon_lock = lock_anon,
	};

	static_call(pghot_rmap_walk)(folio, &rwc);
	return rwc.contended || a.unknown ? -EAGAIN : 0;
}

/* The policy of a range of a file in memory, which a program has set through a mapping. */
static void limit_by_file(struct folio *folio, nodemask_t *nodes)
{
	struct address_space *mapping = folio_mapping(folio);
	struct mempolicy *policy;

	if (!mapping || !shmem_mapping(mapping))
		return;
	policy = static_call(pghot_mpol_shared_policy_lookup)(&SHMEM_I(mapping->host)->policy,
							      folio->index);
	if (policy) {
		limit_by_policy(policy, nodes);
		put_shared_policy(policy);
	}
}

/* css_put() is inline: a function of its own, as it calls what releases the cgroup. */
static noinline void limit_by_cgroup(struct folio *folio, nodemask_t *nodes)
{
	struct mem_cgroup *memcg = pghot_memcg_get(folio);
	struct cgroup_subsys_state *css;

	if (!memcg)
		return;
	css = cgroup_get_e_css(memcg->css.cgroup, pghot_cpuset_cgrp_subsys);
	/* Changed under a lock that is not for others: at worst it is old for one node. */
	nodes_and(*nodes, *nodes, container_of(css, struct cpuset, css)->effective_mems);
	css_put(css);
	pghot_memcg_put(memcg);
}

/**
 * pghot_allowed_nodes() - to which nodes may this folio be moved?
 * @folio: the folio, referenced by the caller
 * @nodes: to be filled in: nodes with memory; empty if it has to stay
 *
 * Process context, sleeps: a folio's lock and the locks of its mappings are only tried.
 * Takes time in proportion to the number of mappings, of which it looks at all that allow
 * something.
 *
 * Return: 0; -EAGAIN if somebody holds one of the locks, so that it cannot be told now.
 */
int pghot_allowed_nodes(struct folio *folio, nodemask_t *nodes)
{
	int ret = 0;

	*nodes = node_states[N_MEMORY];
	if (!folio_trylock(folio))
		return -EAGAIN;
	if (folio_mapped(folio)) {
		ret = limit_by_mappings(folio, nodes);
	} else {
		limit_by_file(folio, nodes);
		limit_by_cgroup(folio, nodes);
	}
	folio_unlock(folio);
	return ret;
}
