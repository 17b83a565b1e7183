// SPDX-License-Identifier: GPL-2.0
/* memory: what is wrong with a page is found, and what may be is not taken for wrong. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

#include "check.h"

#define SEED	7
#define ONE	5
#define OTHER	(CHUNK_PAGES + 9)

static struct memory m;

/* Things that happen to memory. */

static void nothing(void)
{
}

static void flip_bit(void)
{
	memory_page(&m, ONE)[PAGE - 1] ^= 1;
}

static void lose(void)
{
	memset(memory_page(&m, ONE), 0, PAGE);
}

static void mistake_for_another(void)
{
	memcpy(memory_page(&m, ONE), memory_page(&m, OTHER), PAGE);
}

static void bring_back_old(void)
{
	char old[PAGE];

	memcpy(old, memory_page(&m, ONE), PAGE);
	memory_write(&m, ONE);
	memcpy(memory_page(&m, ONE), old, PAGE);
}

static void tear(void)
{
	char old[PAGE];

	memcpy(old, memory_page(&m, ONE), PAGE);
	memory_write(&m, ONE);
	memcpy(memory_page(&m, ONE) + PAGE / 2, old + PAGE / 2, PAGE / 2);
}

static void write_again(void)
{
	memory_write(&m, ONE);
	memory_write(&m, OTHER);
}

static void move(void)
{
	memory_move(&m, 0);
	memory_move(&m, 1);
	memory_move(&m, 0);
}

static void move_in_two_mappings(void)
{
	mprotect(memory_page(&m, ONE), PAGE, PROT_READ);
	memory_move(&m, 0);
	memory_move(&m, 1);
	mprotect(memory_page(&m, ONE), PAGE, PROT_READ | PROT_WRITE);
}

static void drop(void)
{
	memory_drop(&m, ONE, 3);
}

static void drop_and_write(void)
{
	memory_drop(&m, ONE, 1);
	memory_write(&m, ONE);
}

static void free_lazily(void)
{
	m.freed[ONE] = true;
}

static void free_and_take(void)
{
	m.freed[ONE] = true;
	lose();
}

static void free_and_tear(void)
{
	m.freed[ONE] = true;
	memset(memory_page(&m, ONE) + PAGE / 2, 0, PAGE / 2);
}

static void check_all(size_t unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < m.pages; i++)
		memory_check(&m, i);
}

static void glance(size_t word)
{
	memory_glance(&m, ONE, word);
}

/* Is there nothing to complain about for who looks at memory to which this has happened? */
static bool looks_right(enum memory_kind kind, void (*happen)(void), void (*look)(size_t),
			size_t word)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		memory_map(&m, kind, 0, 2, SEED);
		happen();
		look(word);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return !status;
}

static bool is_right(enum memory_kind kind, void (*happen)(void))
{
	return looks_right(kind, happen, check_all, 0);
}

static bool glances_right(void (*happen)(void), size_t word)
{
	return looks_right(SMALL, happen, glance, word);
}

int main(void)
{
	static const enum memory_kind kinds[] = { SMALL, HUGE, SHARED, MERGED };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		CHECK(is_right(kinds[i], nothing));
		CHECK(is_right(kinds[i], write_again));
		CHECK(is_right(kinds[i], move));
		CHECK(is_right(kinds[i], move_in_two_mappings));
		CHECK(is_right(kinds[i], drop));
		CHECK(is_right(kinds[i], drop_and_write));
		CHECK(!is_right(kinds[i], flip_bit));
		CHECK(!is_right(kinds[i], lose));
		CHECK(!is_right(kinds[i], bring_back_old));
		CHECK(!is_right(kinds[i], tear));
	}
	CHECK(!is_right(SMALL, mistake_for_another));
	CHECK(is_right(SMALL, free_lazily));
	CHECK(is_right(SMALL, free_and_take));
	CHECK(!is_right(SMALL, free_and_tear));

	CHECK(glances_right(nothing, 3));
	CHECK(glances_right(free_and_take, 3));
	CHECK(!glances_right(lose, 3));
	CHECK(!glances_right(flip_bit, PAGE / 8 - 1));
	CHECK(glances_right(flip_bit, 0));
	/* Of mergeable memory, every fourth page is alike, and others are not. */
	memory_map(&m, MERGED, 0, 1, SEED);
	CHECK(!memcmp(memory_page(&m, 1), memory_page(&m, 5), PAGE));
	CHECK(memcmp(memory_page(&m, 1), memory_page(&m, 6), PAGE));

	CHECK(memory_kind_named("huge") == HUGE);
	CHECK(memory_kind_named("large") == KINDS);
	return check_report();
}
