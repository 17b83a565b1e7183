// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Reading counters
 */
#include <linux/cpumask.h>

#include "core/counter.h"

/**
 * pghot_counter_sum() - what all CPUs have counted
 * @counter: the counter
 *
 * Any context.
 *
 * Return: the sum. CPUs may go on counting meanwhile.
 */
u64 pghot_counter_sum(const struct pghot_counter *counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counter->nr, cpu));
	return sum;
}
