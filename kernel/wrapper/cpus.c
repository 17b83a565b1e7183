// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Asking what CPUs are doing
 */
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "wrapper/cpus.h"
#include "wrapper/functions.h"

/**
 * pghot_cpus_pick() - choose a CPU of a node
 * @nid: the node, online
 * @start: CPU to begin with, any number below nr_cpu_ids. The search wraps around
 * @idle: it has to have nothing to do
 *
 * Any context. CPUs come and go, and find work, meanwhile.
 *
 * Return: the first one that is online, and idle if @idle; nr_cpu_ids or more if there is none.
 */
unsigned int pghot_cpus_pick(int nid, unsigned int start, bool idle)
{
	unsigned int cpu;

	for_each_cpu_wrap(cpu, cpumask_of_node(nid), start)
		if (cpu_online(cpu) && (!idle || static_call(pghot_idle_cpu)(cpu)))
			break;
	return cpu;
}
