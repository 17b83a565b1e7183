/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What an access to memory takes
 *
 * What an access to slow memory takes longer than one to fast memory, as it is now: a link that
 * is full makes slow memory much slower than its data sheet says.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_LATENCY_H
#define PGHOT_POLICY_LATENCY_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/*
 * What an access to slow memory takes longer than one to fast memory before that was measured,
 * ns: 170 to 250 for CXL memory against 80 to 100 for DRAM, by published measurements. And at
 * least: whoever says that a node is slow is believed, even if all that is read is in a cache.
 */
#define LATENCY_GAP		120u
#define LATENCY_GAP_MIN		60u
/* What an access to fast memory takes before that was measured, ns: DRAM that is not loaded. */
#define LATENCY_FAST		100u
/* No access takes longer, ns: who measured it was interrupted. */
#define LATENCY_MAX	5000u
/* Accesses before the mean counts; then it is that of the last ones, two to four times as many. */
#define LATENCY_READS	64u

/**
 * struct latency - what accesses to the memory of a tier have taken
 * @reads: accesses that were measured lately
 * @ns: time that they have taken, ns
 */
struct latency {
	u64 reads;
	u64 ns;
};

/**
 * latency_add() - some accesses have taken so long
 * @l: what they took before
 * @reads: how many these are
 * @ns: time of all of them, ns
 */
static inline void latency_add(struct latency *l, unsigned int reads, u64 ns)
{
	if (ns > (u64)reads * LATENCY_MAX)
		return;
	l->reads += reads;
	l->ns += ns;
	if (l->reads >= 4 * LATENCY_READS) {
		l->reads /= 2;
		l->ns /= 2;
	}
}

/**
 * latency_ns() - what an access takes
 * @l: what accesses have taken
 *
 * Return: ns; 0 if that is not known.
 */
static inline unsigned int latency_ns(const struct latency *l)
{
	return l->reads < LATENCY_READS ? 0 : div64_u64(l->ns, l->reads);
}

/**
 * latency_gap_ns() - what an access to slow memory takes longer
 * @fast: what accesses to fast memory have taken
 * @slow: what accesses to slow memory have taken
 *
 * Nothing on fast nodes may be in use yet while slow memory is far slower than usual, because many
 * use it. So what that takes counts alone until both are known.
 *
 * Return: ns, at least LATENCY_GAP_MIN; until both are known, at least LATENCY_GAP.
 */
static inline unsigned int latency_gap_ns(const struct latency *fast, const struct latency *slow)
{
	unsigned int f = latency_ns(fast), s = latency_ns(slow);

	if (!f || !s)
		return max(s - min(s, LATENCY_FAST), LATENCY_GAP);
	return max(s - min(s, f), LATENCY_GAP_MIN);
}

#endif /* PGHOT_POLICY_LATENCY_H */
