// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Getting along with the kernel's NUMA balancing
 *
 * NUMA balancing moves memory to the CPUs that use it. Where one node has all CPUs, all that is
 * left to move is memory of slow nodes, in hint faults that the programs pay for. pghot does
 * that in the background, so it switches balancing off there, and on again when it goes.
 *
 * Where several nodes have CPUs, balancing goes on, and is told where pghot puts memory.
 */
#include <linux/cpumask.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/sched/numa_balancing.h>
#include <linux/sched/sysctl.h>

#include "wrapper/balancing.h"
#include "wrapper/functions.h"

/* It is off because of pghot. */
static bool paused;

/**
 * pghot_balancing_pause() - switch NUMA balancing off if it has nothing to balance
 *
 * Process context, sleeps. One caller at a time. Nothing happens in other modes than the
 * plain one, as somebody chose these, and on machines with CPUs on several nodes.
 */
void pghot_balancing_pause(void)
{
	if (!pghot_sched_numa_balancing || num_node_state(N_CPU) != 1 ||
	    READ_ONCE(*pghot_numa_balancing_mode) != NUMA_BALANCING_NORMAL)
		return;
	WRITE_ONCE(*pghot_numa_balancing_mode, NUMA_BALANCING_DISABLED);
	static_key_disable(&pghot_sched_numa_balancing->key);
	paused = true;
	pr_info("kernel.numa_balancing is 0 while pghot decides: all CPUs are on one node, so there is nothing to balance\n");
}

/**
 * pghot_balancing_resume() - switch NUMA balancing on again
 *
 * Process context, sleeps. One caller at a time. Nothing happens if pghot_balancing_pause() did
 * nothing, or if the administrator has set another mode since.
 */
void pghot_balancing_resume(void)
{
	if (!paused)
		return;
	paused = false;
	if (READ_ONCE(*pghot_numa_balancing_mode) != NUMA_BALANCING_DISABLED)
		return;
	WRITE_ONCE(*pghot_numa_balancing_mode, NUMA_BALANCING_NORMAL);
	static_key_enable(&pghot_sched_numa_balancing->key);
	pr_info("kernel.numa_balancing is 1 again\n");
}

/**
 * pghot_balancing_moves_slow() - does NUMA balancing move memory of slow nodes in hint faults?
 *
 * Any context. In tiering mode a source may take these faults.
 *
 * Return: whether it is in plain mode, which is 1.
 */
bool pghot_balancing_moves_slow(void)
{
	return pghot_sched_numa_balancing &&
	       READ_ONCE(*pghot_numa_balancing_mode) == NUMA_BALANCING_NORMAL;
}

/**
 * pghot_balancing_note_use() - tell NUMA balancing that a folio is used on a node
 * @folio: the folio, isolated by the caller, on its way to the node
 * @nid: the node
 *
 * Any context. Of a folio without a known user, NUMA balancing takes the first hint fault for a
 * reason to move it to the CPU that has faulted, while programs are young. All memory that several
 * nodes use would be copied once more, half of it or most, just after its promotion. If there is a
 * user, it waits for a second fault from the same node. Migration takes the note along, but not
 * in tiering modes, in which folios of slow nodes have a time in its place.
 *
 * The note has the process id 0. Processes whose id has the same last bits are taken for that user.
 */
void pghot_balancing_note_use(struct folio *folio, int nid)
{
	int cpu = cpumask_any_and(cpumask_of_node(nid), cpu_online_mask);

	if (READ_ONCE(*pghot_numa_balancing_mode) != NUMA_BALANCING_NORMAL || cpu >= nr_cpu_ids ||
	    !cpupid_pid_unset(folio_last_cpupid(folio)))
		return;
	static_call(pghot_folio_xchg_last_cpupid)(folio, cpu_pid_to_cpupid(cpu, 0));
}
