/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Weak memory
 *
 * Memory in which a read may find an older value than the last one, as far as no barrier forbids
 * it. See weak.c.
 */
#ifndef EXPLORE_WEAK_H
#define EXPLORE_WEAK_H

#include <stdbool.h>

#include <linux/types.h>

/* Threads that run beside one another, and places in memory that they share. */
#define WEAK_THREADS	4
#define WEAK_PLACES	40

/**
 * enum weak_order - what an access promises about others of its thread
 * @WEAK_PLAIN: nothing; if another thread may write there at the same time, that is a data race
 * @WEAK_RELAXED: nothing, as READ_ONCE(), WRITE_ONCE() and set_bit()
 * @WEAK_ACQUIRE: a read that comes before all that follows it
 * @WEAK_RELEASE: a write that comes after all that precedes it
 * @WEAK_FULL: a change with a full barrier on both sides, as try_cmpxchg() when it succeeds
 */
enum weak_order {
	WEAK_PLAIN,
	WEAK_RELAXED,
	WEAK_ACQUIRE,
	WEAK_RELEASE,
	WEAK_FULL,
};

void weak_begin(unsigned int places, const u64 *values);
u64 weak_read(unsigned int thread, unsigned int place, enum weak_order order);
void weak_write(unsigned int thread, unsigned int place, u64 value, enum weak_order order);
u64 weak_read_newest(unsigned int thread, unsigned int place);
u64 weak_newest(unsigned int place);
void weak_change(unsigned int thread, unsigned int place, u64 value, enum weak_order order);
void weak_barrier(unsigned int thread);
u64 weak_mix(u64 sum, u64 value);
u64 weak_state(const bool *runs);

#endif /* EXPLORE_WEAK_H */
