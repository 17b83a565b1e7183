/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Counters for the whole machine
 *
 * Each CPU counts by itself, and readers add up what all CPUs have counted.
 *
 * A counter is defined in the file that counts with it. It is shown as a file of
 * /sys/kernel/mm/pghot/stats/ because the part of pghot that it belongs to names it, see
 * core/part.h.
 */
#ifndef PGHOT_CORE_COUNTER_H
#define PGHOT_CORE_COUNTER_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct pghot_counter - a counter
 * @name: name of its file
 * @nr: its value, to be summed up over all possible CPUs
 */
struct pghot_counter {
	const char *name;
	unsigned long __percpu *nr;
};

/* For the parts that show a counter of another file. */
#define PGHOT_DECLARE_COUNTER(_name)	extern const struct pghot_counter pghot_counter_##_name

/**
 * PGHOT_COUNTER() - define a counter, which this file alone counts with
 * @_name: its name, both in the code and as a file
 */
#define PGHOT_COUNTER(_name)						\
	static DEFINE_PER_CPU(unsigned long, _name);			\
	PGHOT_DECLARE_COUNTER(_name);					\
	const struct pghot_counter pghot_counter_##_name = {		\
		.name = #_name,						\
		.nr = &_name,						\
	}

/* The address of a counter, for the part that shows it. */
#define COUNTER(_name)			(&pghot_counter_##_name)

/**
 * pghot_count() - add to a counter
 * @_name: the counter
 * @_by: how much to add
 *
 * Any context, NMI included. One instruction.
 */
#define pghot_count(_name, _by)		this_cpu_add(_name, _by)

u64 pghot_counter_sum(const struct pghot_counter *counter);

#endif /* PGHOT_CORE_COUNTER_H */
