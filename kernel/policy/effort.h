/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How much CPU time looking for hot pages gets
 *
 * As long as what it finds brings more than it takes, as much as the administrator allows. Each
 * time that all memory has been looked at for less than that half as much, down to a hundredth of
 * a CPU: then it looks at a sample of the memory only. A find that is worth it brings all of it
 * back. Finds of which nothing can be moved, for whatever reason, count for nothing after some
 * sweeps.
 *
 * Where it has to be known first whether moving pages pays, a sample is looked at before all of the
 * memory: it tells that many times sooner.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_EFFORT_H
#define PGHOT_POLICY_EFFORT_H

#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* The least effort, % of a CPU. */
#define EFFORT_MIN	1u
/* Below this, % of a CPU, a sample of the memory is looked at. */
#define EFFORT_SAMPLE	8u
/* Finds do not count any more after so many sweeps in which nothing of them was moved. */
#define EFFORT_VAIN	8u

/**
 * struct effort - how much is done
 * @percent: of one CPU; read while others change it, as is @scout
 * @gain_ns: what this sweep's finds bring if they are promoted, ns
 * @cost_ns: CPU time of this sweep, ns
 * @moved: base pages that were moved during this sweep
 * @vain: sweeps that have found something since anything was moved, up to EFFORT_VAIN
 * @scout: the next sweep, or the one on its way, is of a sample, whatever the effort is
 * @modest: if that sweep finds nothing, the next ones are of a sample, too
 */
struct effort {
	unsigned int percent;
	u64 gain_ns;
	u64 cost_ns;
	unsigned long moved;
	unsigned int vain;
	bool scout;
	bool modest;
};

/**
 * effort_set() - say how much is done
 * @e: the effort
 * @percent: of one CPU
 */
static inline void effort_set(struct effort *e, unsigned int percent)
{
	WRITE_ONCE(e->percent, percent);
}

/**
 * effort_restart() - nothing is known of what it brings
 * @e: the effort
 * @percent: how much is done, % of one CPU
 * @scout: begin with a sample
 */
static inline void effort_restart(struct effort *e, unsigned int percent, bool scout)
{
	effort_set(e, percent);
	e->gain_ns = 0;
	e->cost_ns = 0;
	e->moved = 0;
	e->vain = 0;
	WRITE_ONCE(e->scout, scout);
	e->modest = false;
}

/**
 * effort_hurry() - the sample that is looked at seems to be worth it
 * @e: the effort
 * @percent: how much is done for the rest of it, % of one CPU
 */
static inline void effort_hurry(struct effort *e, unsigned int percent)
{
	effort_set(e, percent);
	WRITE_ONCE(e->scout, true);
	e->modest = true;
}

/**
 * effort_after_look() - some memory has been looked at
 * @e: the effort
 * @gain_ns: what promoting the pages that were found brings, ns
 * @cost_ns: CPU time of the look, ns
 * @sweep_ended: now all memory, or the sample, has been looked at
 * @most: the most that is allowed, % of one CPU, at least EFFORT_MIN
 */
static inline void effort_after_look(struct effort *e, u64 gain_ns, u64 cost_ns, bool sweep_ended,
				     unsigned int most)
{
	unsigned int percent = e->percent;
	bool useful;

	e->gain_ns += gain_ns;
	e->cost_ns += cost_ns;
	useful = e->gain_ns && e->gain_ns >= e->cost_ns;
	if (useful && e->vain < EFFORT_VAIN)
		percent = most;
	else if (sweep_ended && e->modest)
		percent = EFFORT_SAMPLE - 1;
	else if (sweep_ended && !e->scout)
		percent /= 2;
	effort_set(e, clamp(percent, EFFORT_MIN, most));
	if (!sweep_ended)
		return;
	if (e->moved)
		e->vain = 0;
	else if (useful)
		e->vain = min(e->vain + 1, EFFORT_VAIN);
	e->gain_ns = 0;
	e->cost_ns = 0;
	e->moved = 0;
	WRITE_ONCE(e->scout, false);
	e->modest = false;
}

/**
 * effort_is_sample() - is only a sample of the memory looked at?
 * @e: the effort; others may change it meanwhile
 */
static inline bool effort_is_sample(const struct effort *e)
{
	return READ_ONCE(e->scout) || READ_ONCE(e->percent) < EFFORT_SAMPLE;
}

/**
 * effort_stride() - which part of the memory is in a sample
 * @tables: page tables that there are
 * @wanted: page tables that the sample is to have, at least
 *
 * Return: one page table in so many, a power of two.
 */
static inline unsigned int effort_stride(unsigned long tables, unsigned int wanted)
{
	return tables > wanted ? rounddown_pow_of_two(tables / wanted) : 1;
}

#endif /* PGHOT_POLICY_EFFORT_H */
