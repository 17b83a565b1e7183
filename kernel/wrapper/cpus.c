// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Asking what CPUs are doing
 */
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "wrapper/cpus.h"
#include "wrapper/functions.h"

/**
 * pghot_cpus_has_idle() - is there a CPU of a node with nothing to do?
 * @nid: the node, online
 *
 * Any context. CPUs come and go, and find work, meanwhile.
 */
bool pghot_cpus_has_idle(int nid)
{
	int cpu;

	for_each_cpu_and(cpu, cpumask_of_node(nid), cpu_online_mask)
		if (static_call(pghot_idle_cpu)(cpu))
			return true;
	return false;
}
