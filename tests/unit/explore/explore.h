/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: All ways in which threads can interleave
 *
 * A scenario says what a few threads do with shared memory, and what has to hold in the end.
 * explore() runs it in every order in which that can happen. See explore.c.
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Threads of a scenario at most. */
#define EXPLORE_THREADS	4

/**
 * struct explore_thread - one of the threads of a scenario
 * @name: for reports
 * @run: what it does, once
 */
struct explore_thread {
	const char *name;
	void (*run)(void);
};

/**
 * struct scenario - what is explored
 * @name: for reports
 * @deep: it takes long: left out unless asked for
 * @begin: called before each run, alone; NULL for none. Shared memory is then as it was when
 *	explore() was called
 * @threads: they run beside one another; those after the last have no @run
 * @end: called after each run, alone, knowing all that was written; it says what has to hold
 */
struct scenario {
	const char *name;
	bool deep;
	void (*begin)(void);
	struct explore_thread threads[EXPLORE_THREADS];
	void (*end)(void);
};

/* Has to hold; anywhere in a scenario. */
#define EXPECT(cond)	explore_expect(cond, #cond)

void explore_expect(bool holds, const char *what);
void explore_limit(bool holds, const char *what);
unsigned int explore_choose(unsigned int nr);
bool explore_deep(int argc, char **argv);
void explore_all(const struct scenario *scenarios, unsigned int nr, const char *variant, bool deep);
int explore_report(void);

/* Between explore.c and access.c. */
int explore_self(void);
const char *explore_traced(void);
void explore_step(const unsigned int *lock);
void explore_remember(u64 value);
void explore_again(void);

#endif /* EXPLORE_H */
