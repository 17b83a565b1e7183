// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps memory, uses it, has done to it what can be done to memory, and checks it all the time.
 *
 * Usage: keeper KIND NODE MEGABYTES SECONDS SEED break|stay|move
 *
 * KIND is small, huge, file, shared, locked or merged, see memory.h; a file is on /tmp/disk. The
 * memory is taken from NODE, if that has some. For SECONDS a part of it is used most, and now and
 * then something drawn from SEED happens to some of it: it is written anew, dropped, freed,
 * paged out, protected, moved, split, shared with a child, and so on. At the end all of it is
 * checked. With SECONDS of 0 it goes on until it is killed. With "break" the memory of some pages
 * fails as well, for good. Most of the time the program rests, as loading a module takes long if
 * all CPUs are busy. With "move" it does not rest, all of the memory is used and checked each time,
 * and nothing happens to it but that it is written anew and moved back to NODE.
 *
 * Prints what was done how often, a "keeper_NAME NUMBER" line for each. Exits with 1 if a word is
 * not what was written, and names it, or if the kernel refused what it has to do.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Pages checked in their order between two things that happen. */
#define CHECKED_IN_TURN	32
/* Of the memory, the part that is used most, and how often until the next thing happens. */
#define HOT_PART	4
#define HOT_ROUNDS	4
/* Rest, as a multiple of work. */
#define REST		3
/* Most pages that something happens to. */
#define RANGE		256
#define ANONYMOUS	(1 << SMALL | 1 << HUGE | 1 << LOCKED | 1 << MERGED)
#define ALL		((1 << KINDS) - 1)
/* Memory fails by it. */
#define BREAKS		(1 << KINDS)
/* It happens with "move", too. */
#define MOVES		(BREAKS << 1)

static struct memory memory;
static unsigned int home;
static uint64_t state;
static pid_t child;
static bool may_break, only_moves;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x2545f4914f6cdd1dull >> 16) % below;
}

/* A range of pages of one chunk. */
struct range {
	size_t first;
	size_t pages;
};

static struct range draw_range(void)
{
	struct range r = { .pages = 1 + draw(RANGE) };

	r.first = draw(memory.chunks) * CHUNK_PAGES + draw(CHUNK_PAGES - r.pages + 1);
	return r;
}

static int advise(struct range r, int advice)
{
	return madvise(memory_page(&memory, r.first), r.pages * PAGE, advice);
}

/* What happens to memory returns whether it did: a kernel may be unable, or busy. */

static bool rewrite(void)
{
	struct range r = draw_range();

	for (; r.pages; r.first++, r.pages--) {
		memory_check(&memory, r.first);
		memory_write(&memory, r.first);
	}
	return true;
}

static bool drop(void)
{
	struct range r = draw_range();

	memory_drop(&memory, r.first, r.pages);
	return true;
}

static bool release(void)
{
	struct range r = draw_range();

	if (advise(r, MADV_FREE))
		memory_die("MADV_FREE");
	memset(memory.freed + r.first, true, r.pages);
	return true;
}

static bool cool(void)
{
	return !advise(draw_range(), MADV_COLD);
}

static bool page_out(void)
{
	return !advise(draw_range(), MADV_PAGEOUT);
}

static bool want_huge(void)
{
	return !advise(draw_range(), draw(2) ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

static bool collapse(void)
{
	struct range r = { draw(memory.chunks) * CHUNK_PAGES, CHUNK_PAGES };

	return !advise(r, MADV_COLLAPSE);
}

static bool merge(void)
{
	return !advise(draw_range(), draw(3) ? MADV_MERGEABLE : MADV_UNMERGEABLE);
}

/* For a moment nobody may write there, or not even read. */
static bool protect(void)
{
	struct range r = draw_range();
	char *start = memory_page(&memory, r.first);
	bool readable = draw(2);
	size_t i;

	if (mprotect(start, r.pages * PAGE, readable ? PROT_READ : PROT_NONE))
		memory_die("mprotect");
	for (i = 0; i < r.pages && readable; i++)
		memory_glance(&memory, r.first + i, draw(PAGE));
	if (mprotect(start, r.pages * PAGE, PROT_READ | PROT_WRITE))
		memory_die("mprotect");
	return true;
}

static bool move(void)
{
	memory_move(&memory, draw(memory.chunks));
	return true;
}

static bool unlock(void)
{
	struct range r = draw_range();
	char *start = memory_page(&memory, r.first);

	if (munlock(start, r.pages * PAGE) || mlock(start, r.pages * PAGE))
		memory_die("mlock");
	return true;
}

/* Back to the node that it was taken from, where the kernel finds room there. */
static bool send_range_home(struct range r)
{
	void *pages[CHUNK_PAGES];
	int nodes[CHUNK_PAGES], status[CHUNK_PAGES];
	size_t i;

	for (i = 0; i < r.pages; i++) {
		pages[i] = memory_page(&memory, r.first + i);
		nodes[i] = home;
	}
	return syscall(SYS_move_pages, 0, r.pages, pages, nodes, status, MPOL_MF_MOVE) >= 0;
}

static bool send_home(void)
{
	return send_range_home(draw_range());
}

static bool send_all_home(void)
{
	struct range r = { .pages = CHUNK_PAGES };

	for (; r.first < memory.pages; r.first += CHUNK_PAGES)
		if (!send_range_home(r))
			return false;
	return true;
}

static bool write_back(void)
{
	struct range r = draw_range();

	if (msync(memory_page(&memory, r.first), r.pages * PAGE, MS_SYNC))
		memory_die("msync");
	advise(r, MADV_DONTNEED);
	return !posix_fadvise(memory.fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* The page is not used any more, and its content is elsewhere. */
static bool offline_softly(void)
{
	struct range r = { draw(memory.pages), 1 };

	/* Not the page of zeroes that all processes share. */
	if (memory_is_private(&memory))
		memory_write(&memory, r.first);
	return !advise(r, MADV_SOFT_OFFLINE);
}

static bool reap(bool wait)
{
	int status;

	if (!child)
		return true;
	if (waitpid(child, &status, wait ? 0 : WNOHANG) != child)
		return false;
	child = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "keeper: a child ended with status %#x\n", status);
		exit(1);
	}
	return true;
}

static volatile bool poisoning;

/* The kernel tells of memory that has failed. What poison() has asked for does no harm. */
static void on_bus_error(int number)
{
	if (!poisoning)
		signal(number, SIG_DFL);
}

/* The page's memory fails. Nobody else is to have it. */
static bool poison(void)
{
	struct range r = { draw(memory.pages), 1 };
	bool done;

	reap(true);
	memory_write(&memory, r.first);
	poisoning = true;
	done = !advise(r, MADV_HWPOISON);
	memory_drop(&memory, r.first, 1);
	poisoning = false;
	return done;
}

/* A child checks all of it, and writes to its copy if it has one. The parent goes on. */
static bool share(void)
{
	bool copy = memory_is_private(&memory);
	size_t page;

	if (!reap(false))
		return false;
	child = fork();
	if (child < 0)
		memory_die("fork");
	if (!child) {
		for (page = 0; page < memory.pages; page++) {
			memory_check(&memory, page);
			if (copy && !draw(4))
				memory_write(&memory, page);
		}
		for (page = 0; page < memory.pages; page++)
			memory_check(&memory, page);
		_exit(0);
	}
	/* What is written to shared memory would be news to the child. */
	return copy || reap(true);
}

static const struct happening {
	const char *name;
	bool (*happen)(void);
	unsigned int kinds;
	unsigned int weight;
} happenings[] = {
	{ "rewrite", rewrite, ALL | MOVES, 20 },
	{ "send_home", send_home, ALL, 40 },
	{ "send_all_home", send_all_home, ALL | MOVES, 10 },
	{ "drop", drop, 1 << SMALL | 1 << HUGE | 1 << MERGED | 1 << SHARED, 5 },
	{ "free", release, 1 << SMALL | 1 << HUGE, 4 },
	{ "cool", cool, ALL & ~(1 << LOCKED), 5 },
	{ "page_out", page_out, ALL & ~(1 << LOCKED), 5 },
	{ "want_huge", want_huge, 1 << HUGE | 1 << SMALL, 3 },
	{ "collapse", collapse, 1 << HUGE, 3 },
	{ "merge", merge, 1 << MERGED, 5 },
	{ "protect", protect, ALL, 5 },
	{ "move", move, ALL, 3 },
	{ "unlock", unlock, 1 << LOCKED, 5 },
	{ "write_back", write_back, 1 << FILE_CACHE, 5 },
	{ "offline_softly", offline_softly, ALL | BREAKS, 1 },
	{ "poison", poison, 1 << SMALL | 1 << HUGE | BREAKS, 1 },
	{ "fork", share, ALL, 2 },
};

static unsigned long happened[ARRAY_SIZE(happenings)];

static bool can_happen(size_t i)
{
	unsigned int kinds = happenings[i].kinds;

	return (kinds >> memory.kind & 1) && (may_break || !(kinds & BREAKS)) &&
	       (!only_moves || kinds & MOVES);
}

static void happen(void)
{
	unsigned int total = 0, at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(happenings); i++)
		total += can_happen(i) ? happenings[i].weight : 0;
	at = draw(total);
	for (i = 0; !can_happen(i) || at >= happenings[i].weight; i++)
		at -= can_happen(i) ? happenings[i].weight : 0;
	happened[i] += happenings[i].happen();
}

/* What makes pages hot: each of them is read, some are written. */
static void use(size_t first, size_t pages)
{
	size_t i, round;

	for (round = 0; round < HOT_ROUNDS; round++)
		for (i = 0; i < pages; i++)
			memory_glance(&memory, (first + i) % memory.pages, draw(PAGE));
	for (i = draw(16); i < pages; i += 16)
		memory_write(&memory, (first + i) % memory.pages);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ull + now.tv_nsec / 1000;
}

static unsigned long parse(const char *text, const char *name)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end) {
		fprintf(stderr, "keeper: %s '%s' is not a number\n", name, text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	size_t hot, turn = 0, part, in_turn, i;
	uint64_t begin;
	unsigned long megabytes, seconds;
	enum memory_kind kind;
	time_t end;

	may_break = argc == 7 && !strcmp(argv[6], "break");
	only_moves = argc == 7 && !strcmp(argv[6], "move");
	if (argc != 7 || (!may_break && !only_moves && strcmp(argv[6], "stay"))) {
		fprintf(stderr, "usage: keeper KIND NODE MEGABYTES SECONDS SEED break|stay|move\n");
		return 2;
	}
	kind = memory_kind_named(argv[1]);
	home = parse(argv[2], "NODE");
	megabytes = parse(argv[3], "MEGABYTES");
	seconds = parse(argv[4], "SECONDS");
	state = parse(argv[5], "SEED") * 2 + 1;
	if (kind == KINDS || home > 63 || megabytes < 2) {
		fprintf(stderr, "keeper: no such KIND or NODE, or less than 2 MEGABYTES\n");
		return 2;
	}

	end = time(NULL) + seconds;
	signal(SIGBUS, on_bus_error);
	memory_map(&memory, kind, home, megabytes / 2, state);
	part = memory.pages / (only_moves ? 1 : HOT_PART);
	in_turn = only_moves ? memory.pages : CHECKED_IN_TURN;
	hot = draw(memory.pages);
	while (!seconds || time(NULL) < end) {
		begin = now_us();
		if (!draw(200))
			hot = draw(memory.pages);
		use(hot, part);
		happen();
		for (i = 0; i < in_turn; i++)
			memory_check(&memory, turn++ % memory.pages);
		reap(false);
		if (!only_moves)
			usleep((now_us() - begin) * REST);
	}
	reap(true);
	for (i = 0; i < memory.pages; i++)
		memory_check(&memory, i);

	printf("keeper_pages_checked %llu\n", (unsigned long long)memory.checked);
	for (i = 0; i < ARRAY_SIZE(happenings); i++)
		if (happened[i])
			printf("keeper_%s %lu\n", happenings[i].name, happened[i]);
	return 0;
}
