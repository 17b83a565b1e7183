/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The memory nodes of a cpuset
 */
#ifndef PGHOT_WRAPPER_CPUSET_H
#define PGHOT_WRAPPER_CPUSET_H

#include <linux/cgroup-defs.h>
#include <linux/cpumask_types.h>
#include <linux/nodemask_types.h>

/* The beginning of it, as in kernel/cgroup/cpuset.c, which nobody else sees, of 6.12. */
struct cpuset {
	struct cgroup_subsys_state css;
	unsigned long flags;
	cpumask_var_t cpus_allowed;
	nodemask_t mems_allowed;
	cpumask_var_t effective_cpus;
	nodemask_t effective_mems;
};

#endif /* PGHOT_WRAPPER_CPUSET_H */
