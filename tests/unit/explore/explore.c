// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: All ways in which threads can interleave
 *
 * What is explored are the module's real functions. They are compiled with -fsanitize=thread, so
 * that the compiler calls a function before each access to memory (access.c), as it does for the
 * kernel's race detector KCSAN. Before each access to shared memory a thread stops, and the search
 * chooses who goes on. A read may have several results (weak.c), of which the search chooses one,
 * too.
 *
 * The search is depth first. Threads are coroutines of one program, and every run begins anew: it
 * repeats the choices of the run before it up to the last one that has another alternative. A
 * state is what memory holds and what each thread has read so far, as the code of a thread does the
 * same if it reads the same. A run ends when it reaches a state that was seen before. So all states
 * are seen, and no bound is put on how often threads are switched. States are told apart by a
 * checksum of 64 bits.
 *
 * Debian has a model checker for C, CBMC. It has three memory models, of which none reorders
 * loads, so that a missing acquire could not be found. Others that know the kernel's memory model
 * are not in Debian, and most of them read litmus tests and not the code itself.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "access.h"
#include "../check.h"
#include "explore.h"
#include "weak.h"

#define STACK_SIZE	(256 << 10)
/* Choices of a run at most. */
#define CHOICES		4096
/* States that are kept at most, a power of two: 8 bytes for each two. */
#define STATES_MAX	(1ul << 27)
/* After so many states each, a line tells of the progress. */
#define PROGRESS	1000000ul

/*
 * struct coroutine - a thread of a scenario
 * @runs: it has not ended
 * @lock: it waits until this is zero; NULL if it can go on
 * @history: checksum of all that it has read
 * @first: where it begins
 * @at: where it stopped
 */
static struct coroutine {
	bool runs;
	const unsigned int *lock;
	u64 history;
	ucontext_t first;
	jmp_buf at;
	char stack[STACK_SIZE] __attribute__((__aligned__(64)));
} coroutines[EXPLORE_THREADS];

/* Why a run ended. */
enum end {
	END_WHOLE = 1,	/* all threads have ended */
	END_SEEN,	/* in a state that was seen before */
	END_AGAIN,	/* memory turned out to be shared that was thought not to be */
	END_FAILED,
};

/*
 * struct search - one search
 * @scenario: what is explored
 * @self: the thread that runs, or -1
 * @made: the choices of the current run, and of how many each
 * @nr_made: how many choices of the last run are repeated
 * @now: how many choices the current run has made
 * @states: checksums of the states that were seen; 0 is a free place
 * @size: how many places there are, a power of two
 * @nr_states: how many are in use
 * @runs: runs so far
 * @trace: the run is printed
 */
static struct search {
	const struct scenario *scenario;
	int self;
	struct {
		unsigned char taken;
		unsigned char of;
	} made[CHOICES];
	unsigned int nr_made;
	unsigned int now;
	u64 *states;
	unsigned long size;
	unsigned long nr_states;
	unsigned long runs;
	bool trace;
	jmp_buf scheduler;
	jmp_buf run;
} search;

/** explore_self() - which thread runs; -1 while none does, and all is done directly */
int explore_self(void)
{
	return search.self;
}

/**
 * explore_limit() - end the program if a limit of the explorer is too small
 * @holds: it is not
 * @what: what it limits
 */
void explore_limit(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: more than the explorer can do: %s\n", search.scenario->name, what);
	exit(1);
}

/**
 * explore_expect() - say what has to hold
 * @holds: whether it does
 * @what: what that is
 *
 * Does not return if it does not hold: the run ends.
 */
void explore_expect(bool holds, const char *what)
{
	if (holds)
		return;
	if (search.trace)
		printf("  %s: does not hold: %s\n",
		       search.self < 0 ? "end" : search.scenario->threads[search.self].name, what);
	_longjmp(search.run, END_FAILED);
}

/** explore_again() - begin again, because less was known of memory than is now */
void explore_again(void)
{
	_longjmp(search.run, END_AGAIN);
}

/**
 * explore_choose() - choose one of several possibilities; all of them get their turn
 * @nr: how many, at least 1
 *
 * Return: one of them, from 0 up.
 */
unsigned int explore_choose(unsigned int nr)
{
	if (nr == 1)
		return 0;
	if (search.now == search.nr_made) {
		explore_limit(search.now < CHOICES && nr < 256, "choices");
		search.made[search.nr_made].taken = 0;
		search.made[search.nr_made++].of = nr;
	}
	return search.made[search.now++].taken;
}

/* Is there another choice to be made than in the last run? The next run makes it. */
static bool choose_next(void)
{
	while (search.nr_made) {
		typeof(*search.made) *last = &search.made[search.nr_made - 1];

		if (++last->taken < last->of)
			return true;
		search.nr_made--;
	}
	return false;
}

static bool states_add(u64 state)
{
	unsigned long i = state & (search.size - 1);

	while (search.states[i]) {
		if (search.states[i] == state)
			return false;
		i = (i + 1) & (search.size - 1);
	}
	search.states[i] = state;
	return true;
}

static void states_resize(unsigned long size)
{
	u64 *old = search.states;
	unsigned long i, old_size = search.size;

	search.states = calloc(size, sizeof(*search.states));
	explore_limit(search.states, "memory");
	search.size = size;
	for (i = 0; i < old_size; i++)
		if (old[i])
			states_add(old[i]);
	free(old);
}

/* Is this state a new one? */
static bool state_is_new(void)
{
	bool runs[WEAK_THREADS];
	unsigned int i;
	u64 state;

	for (i = 0; i < EXPLORE_THREADS; i++)
		runs[i] = coroutines[i].runs;
	state = weak_state(runs);
	/* What has ended may still matter in the end, by what it has counted. */
	for (i = 0; i < EXPLORE_THREADS; i++)
		state = weak_mix(state, coroutines[i].history);
	if (!states_add(state | 1ul << 63))
		return false;
	search.nr_states++;
	if (search.nr_states % PROGRESS == 0)
		printf("  %s: %lu million states so far\n", search.scenario->name,
		       search.nr_states / PROGRESS);
	if (search.nr_states * 2 > search.size) {
		explore_limit(search.size < STATES_MAX, "states");
		states_resize(search.size * 2);
	}
	return true;
}

/**
 * explore_remember() - note what the thread that runs has read
 * @value: that
 */
void explore_remember(u64 value)
{
	coroutines[search.self].history = weak_mix(coroutines[search.self].history, value);
}

/**
 * explore_step() - stop the thread that runs; it goes on when the search chooses it
 * @lock: do not choose it until this is zero; or NULL
 */
void explore_step(const unsigned int *lock)
{
	struct coroutine *self = &coroutines[search.self];

	explore_remember(0);
	self->lock = lock;
	if (!_setjmp(self->at))
		_longjmp(search.scheduler, 1);
}

/**
 * explore_traced() - the name of the thread that runs, if what it does is to be printed; or NULL
 */
const char *explore_traced(void)
{
	return search.trace ? search.scenario->threads[search.self].name : NULL;
}

static void coroutine_main(void)
{
	search.scenario->threads[search.self].run();
	access_finish();
	coroutines[search.self].runs = false;
	_longjmp(search.scheduler, 1);
}

/* Let a thread go on until it stops before its next step, or ends. */
static void resume(unsigned int i, bool first)
{
	search.self = i;
	if (!_setjmp(search.scheduler)) {
		if (first)
			setcontext(&coroutines[i].first);
		_longjmp(coroutines[i].at, 1);
	}
	search.self = -1;
}

static void coroutine_start(unsigned int i)
{
	struct coroutine *c = &coroutines[i];

	c->runs = search.scenario->threads[i].run;
	c->lock = NULL;
	c->history = 0;
	if (!c->runs)
		return;
	getcontext(&c->first);
	c->first.uc_stack.ss_sp = c->stack;
	c->first.uc_stack.ss_size = STACK_SIZE;
	makecontext(&c->first, coroutine_main, 0);
	resume(i, true);
}

/* Which threads can go on. */
static unsigned int runnable(unsigned int *which)
{
	unsigned int i, nr = 0, waiting = 0;

	for (i = 0; i < EXPLORE_THREADS; i++) {
		if (!coroutines[i].runs)
			continue;
		if (coroutines[i].lock && access_newest(coroutines[i].lock))
			waiting++;
		else
			which[nr++] = i;
	}
	explore_expect(nr || !waiting, "somebody can go on");
	return nr;
}

/* One run, from the beginning to the end. */
static enum end run_threads(void)
{
	unsigned int which[EXPLORE_THREADS], nr, i;

	for (i = 0; i < EXPLORE_THREADS; i++)
		coroutine_start(i);
	for (;;) {
		/* Only what comes after the repeated choices can be new. */
		if (!search.trace && search.now == search.nr_made && !state_is_new())
			return END_SEEN;
		nr = runnable(which);
		if (!nr)
			return END_WHOLE;
		resume(which[explore_choose(nr)], false);
	}
}

static enum end run_once(void)
{
	enum end end;

	search.now = 0;
	search.self = -1;
	search.runs++;
	end = _setjmp(search.run);
	if (!end) {
		if (search.scenario->begin)
			search.scenario->begin();
		access_begin();
		end = run_threads();
		if (end == END_WHOLE) {
			access_settle();
			search.scenario->end();
		}
	}
	search.self = -1;
	access_undo();
	return end;
}

static void forget_states(void)
{
	memset(search.states, 0, search.size * sizeof(*search.states));
	search.nr_states = 0;
	search.nr_made = 0;
	search.runs = 0;
}

static void print_last_run(void)
{
	search.trace = true;
	printf("  the run that failed, from its beginning:\n");
	run_once();
	search.trace = false;
}

/* Returns whether all that can happen is as it should be. */
static bool explore(const struct scenario *scenario, const char *variant)
{
	unsigned int nr = 0;
	enum end end;

	search.scenario = scenario;
	access_forget();
	forget_states();
	while (nr < EXPLORE_THREADS && scenario->threads[nr].run)
		nr++;
	do {
		end = run_once();
		if (end == END_AGAIN)
			forget_states();
	} while (end != END_FAILED && (end == END_AGAIN || choose_next()));

	printf("%s, %s: %u threads, %lu schedules, %lu states, complete: %s\n", variant,
	       scenario->name, nr, search.runs, search.nr_states,
	       end == END_FAILED ? "no, it failed" : "yes");
	if (end == END_FAILED)
		print_last_run();
	return end != END_FAILED;
}

/**
 * explore_deep() - what the arguments of a program ask for
 * @argc: how many
 * @argv: nothing, or "deep"
 *
 * Return: whether to explore what takes long, too. Ends the program if they are others.
 */
bool explore_deep(int argc, char **argv)
{
	bool deep = argc == 2 && !strcmp(argv[1], "deep");

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 1 || deep)
		return deep;
	fprintf(stderr, "%s: not an argument: '%s'; there is only 'deep'\n", argv[0],
		argv[argc - 1]);
	exit(2);
}

/**
 * explore_all() - explore some scenarios
 * @scenarios: they
 * @nr: how many
 * @variant: name of what they have in common, for reports
 * @deep: those that take long, too
 */
void explore_all(const struct scenario *scenarios, unsigned int nr, const char *variant, bool deep)
{
	/* They stay for explore_report(). */
	struct check_site *sites = calloc(nr, sizeof(*sites));
	unsigned int i;

	explore_limit(sites, "memory");
	if (!search.size)
		states_resize(1 << 16);
	for (i = 0; i < nr; i++)
		if (deep || !scenarios[i].deep)
			check_one(&sites[i], explore(&scenarios[i], variant), variant, 0,
				  scenarios[i].name);
}

/**
 * explore_report() - print how many scenarios are as they should be
 *
 * Return: the program's exit code.
 */
int explore_report(void)
{
	return check_report();
}
