// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: To which nodes a folio may be moved
 *
 * The sources of hotness do not know whose memory a page is, and the workers that move it have no
 * cpuset and no memory policy of their own. So this is the one place where the rules of the page's
 * users are asked.
 *
 *   - A memory policy without MPOL_F_MOF ("migrate on fault") keeps memory where it is. All
 *     policies that a program sets are of this kind, unless it sets them with
 *     MPOL_F_NUMA_BALANCING. With MPOL_F_MOF, memory may go only to the nodes of MPOL_BIND and
 *     MPOL_PREFERRED_MANY. The kernel's own promotion does the same, see mpol_misplaced().
 *   - The memory of a cpuset's processes may go only to the nodes of its cpuset.mems, where
 *     their allocations may go, too.
 *   - Executable code that several processes map stays, as in
 *     migrate_misplaced_folio_prepare(): libraries are in the caches of many CPUs, and have
 *     thousands of mappings.
 *
 * For a folio that is mapped, all its mappings are asked. An area of memory that could map it, but
 * does not, has no say: after a fork, or of a file that was never read there, anybody may have as
 * many of these as they like, with any policy. For a folio of a file that nobody maps, the memory
 * cgroup that it is charged to is asked. If the threads of a process have different memory
 * policies, that of the thread that owns the address space counts.
 *
 * The rules may change between the question and the move, as they may between the kernel's own
 * question and its move.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>
#include <linux/topology.h>

#include "wrapper/allowed.h"
#include "wrapper/cpuset.h"
#include "wrapper/cputime.h"
#include "wrapper/folio.h"
#include "wrapper/functions.h"
#include "wrapper/memcg.h"
#include "wrapper/vmawalk.h"

/* Areas that are looked at for one folio before it is worth while to take the time. */
#define AREAS_TIMED	8u

/* The state of a walk over the mappings of a folio. */
struct walk {
	struct allowed *allowed;
	bool shared;	/* several processes map it */
	bool unknown;	/* somebody is changing an address space: it is to be asked again */
	unsigned int areas;	/* that were looked at */
	u64 start_ns;	/* CPU time when these were AREAS_TIMED */
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

/* By the task that owns an address space: its cpuset, and its policy if the mapping has none. */
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

/* Is the folio, or a part of it, in the page table where the area has it? */
static bool maps(struct folio *folio, struct vm_area_struct *vma, unsigned long addr)
{
	struct page_vma_mapped_walk walk = pghot_vmawalk(folio, vma, addr);

	if (!pghot_vmawalk_next(&walk))
		return false;
	pghot_vmawalk_done(&walk);
	return true;
}

/* What the users of an area of memory allow. Returns false if that cannot be told now. */
static bool limit_by_area(struct vm_area_struct *vma, unsigned long addr, nodemask_t *nodes)
{
	struct mempolicy *policy;
	pgoff_t unused;

	/*
	 * mbind() frees policies under this lock. It is only tried, because in the order of locks
	 * it comes before the lock that is held.
	 */
	if (!mmap_read_trylock(vma->vm_mm))
		return false;
	policy = static_call(pghot___get_vma_policy)(vma, addr, &unused);
	if (policy) {
		limit_by_policy(policy, nodes);
		put_shared_policy(policy);
	}
	limit_by_owner(vma->vm_mm, policy, nodes);
	mmap_read_unlock(vma->vm_mm);
	return true;
}

/* The node that a process runs on now, NUMA_NO_NODE if it runs on none, or on more than one. */
static int node_of(struct mm_struct *mm)
{
	const struct cpumask *cpus = mm_cpumask(mm);
	unsigned int cpu = cpumask_first(cpus);

	if (cpu >= nr_cpu_ids || !cpumask_subset(cpus, cpumask_of_node(cpu_to_node(cpu))))
		return NUMA_NO_NODE;
	return cpu_to_node(cpu);
}

/*
 * One area, under the lock that keeps it in the list of those that may map the folio. Whether it
 * does is asked only if it speaks against something, as that takes longer than all the rest.
 */
static bool limit_by_mapping(struct folio *folio, struct vm_area_struct *vma, unsigned long addr,
			     void *arg)
{
	struct walk *walk = arg;
	struct allowed *allowed = walk->allowed;
	nodemask_t nodes = allowed->nodes;
	bool known = true;

	if (++walk->areas == AREAS_TIMED)
		walk->start_ns = pghot_cputime_ns();
	allowed->home = walk->areas == 1 ? node_of(vma->vm_mm) : NUMA_NO_NODE;
	allowed->cpus = max(allowed->cpus, cpumask_weight(mm_cpumask(vma->vm_mm)));
	if (walk->shared && vma->vm_flags & VM_EXEC && folio_is_file_lru(folio))
		nodes_clear(nodes);
	else
		known = limit_by_area(vma, addr, &nodes);
	if ((known && nodes_equal(nodes, allowed->nodes)) || !maps(folio, vma, addr))
		return true;
	allowed->nodes = nodes;
	walk->unknown |= !known;
	return known && !nodes_empty(nodes);
}

static int limit_by_mappings(struct folio *folio, struct allowed *allowed)
{
	struct walk walk = {
		.allowed = allowed,
		.shared = pghot_folio_maybe_shared(folio),
	};
	struct rmap_walk_control rwc = {
		.arg = &walk,
		.try_lock = true,
		.rmap_one = limit_by_mapping,
		.anon_lock = pghot_vmawalk_lock_anon,
	};

	static_call(pghot_rmap_walk)(folio, &rwc);
	if (walk.areas >= AREAS_TIMED)
		allowed->cost_ns = pghot_cputime_ns() - walk.start_ns;
	return rwc.contended || walk.unknown ? -EAGAIN : 0;
}

/* By the policy that a program has set, through a mapping, for a range of a file in memory. */
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

/*
 * By the memory cgroup. This is a function of its own because css_put() is inline, and calls the
 * cgroup's release function indirectly: see ALLOWED in tests/check.py.
 */
static noinline void limit_by_cgroup(struct folio *folio, nodemask_t *nodes)
{
	struct mem_cgroup *memcg = pghot_memcg_get(folio);
	struct cgroup_subsys_state *css;

	if (!memcg)
		return;
	css = cgroup_get_e_css(memcg->css.cgroup, pghot_cpuset_cgrp_subsys);
	/* Modules cannot take the lock that protects this. At worst the value is an old one. */
	nodes_and(*nodes, *nodes, container_of(css, struct cpuset, css)->effective_mems);
	css_put(css);
	pghot_memcg_put(memcg);
}

/**
 * pghot_allowed_ask() - what do those who use this folio say of moving it?
 * @folio: the folio, referenced by the caller
 * @allowed: to be filled in
 *
 * Process context, sleeps: a folio's lock and the locks of its mappings are only tried.
 * Takes time in proportion to the number of areas that could map it, of which it looks at all
 * until nothing is allowed any more.
 *
 * Return: 0; -EAGAIN if somebody holds one of the locks, so that it cannot be told now.
 */
int pghot_allowed_ask(struct folio *folio, struct allowed *allowed)
{
	int ret = 0;

	*allowed = (struct allowed){ .nodes = node_states[N_MEMORY], .home = NUMA_NO_NODE };
	if (!folio_trylock(folio))
		return -EAGAIN;
	if (folio_mapped(folio)) {
		ret = limit_by_mappings(folio, allowed);
	} else {
		limit_by_file(folio, &allowed->nodes);
		limit_by_cgroup(folio, &allowed->nodes);
	}
	folio_unlock(folio);
	return ret;
}
