/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Misses of one CPU that memory serves at the same time.
 *
 * A CPU that executes out of order looks ahead behind a load that misses, and finds loads there
 * whose addresses it knows already. Their misses cost no time of their own. As in the epoch model
 * (Chou, Fahs and Abraham, Microarchitecture Optimizations for Exploiting Memory-Level
 * Parallelism, ISCA 2004), an epoch begins with a miss, for which the CPU waits. Misses belong
 * to it as long as
 *
 *   they are within a window of instructions from its first one, and
 *   there are no more of them than a CPU keeps in flight, and
 *   none of them needs the value of another one for its address.
 *
 * An address needs a value if it is in the 4 KiB that begin at it: a pointer, and an offset into
 * what it points to. An address that is computed from an index is not recognised: such loads
 * overlap here, also where the index itself is loaded with a miss.
 */
#ifndef TIERMEM_OVERLAP_H
#define TIERMEM_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#define OVERLAP_MISSES	256	/* at most in flight */
#define OVERLAP_OBJECT	4096	/* bytes behind an address that may be accessed by it */

struct overlap {
	uint64_t window;	/* instructions; 0: misses do not overlap */
	unsigned int most;	/* misses in flight */

	/* The miss that comes next: to be set before it is taken in. */
	uint64_t insn;		/* instructions that the CPU had executed */
	uint64_t value;		/* what it loads; 0 for a store */

	/* The epoch. */
	uint64_t first_insn;
	int64_t longest_ps;
	unsigned int nr;
	uint64_t values[OVERLAP_MISSES];
};

/* No epoch. @window: instructions, @most: misses in flight, up to OVERLAP_MISSES. */
void overlap_init(struct overlap *o, uint64_t window, unsigned int most);

/*
 * The next miss is at the virtual address @vaddr and takes @ps until its data is there. Returns
 * how long the CPU waits for it beyond what it has waited in this epoch, ps.
 */
int64_t overlap_miss(struct overlap *o, uint64_t vaddr, int64_t ps);

#endif
