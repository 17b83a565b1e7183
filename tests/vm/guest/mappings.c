// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps using memory of a node until it has been moved elsewhere.
 *
 * Usage: mappings NODE MEGABYTES kinds|changing
 *
 * MEGABYTES of anonymous memory, which is filled on NODE and has no policy then, are used
 * until nine tenths of it are on other nodes, but for 20 seconds at most. Besides, with "kinds",
 * these other mappings, each twice as large as the one before: a file in /tmp that is only
 * read, memory that is not accessible any more, and memory that is bound to NODE; the first
 * and the last are used, too. With "changing" a thread changes the address space all the time,
 * and memory is used for 4 seconds at least.
 * Prints how many pages of each mapping are not on NODE, one number for each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096ul
#define BATCH	512
#define SECOND	1000000000ull
#define SECONDS	20
#define LEAST	4
#define CHANGED	(32ul << 20)

enum { PLAIN, FILE_READ, CLOSED, BOUND, NR };

struct mapping {
	volatile char *start;
	size_t size;
};

static unsigned long node;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void set_policy(int policy)
{
	unsigned long mask = 1ul << node;

	if (syscall(SYS_set_mempolicy, policy, policy == MPOL_DEFAULT ? NULL : &mask, 64))
		fail("mappings: set_mempolicy");
}

static char *map(size_t size)
{
	char *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED || madvise(start, size, MADV_NOHUGEPAGE))
		fail("mappings: mmap");
	memset(start, 0x5a, size);
	return start;
}

static char *map_file(size_t size)
{
	char *written = map(size), *start;
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (fd < 0 || write(fd, written, size) != (ssize_t)size)
		fail("mappings: file");
	munmap(written, size);
	start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (start == MAP_FAILED)
		fail("mappings: file");
	return start;
}

static void make(struct mapping *m, int kind, size_t size)
{
	unsigned long mask = 1ul << node;
	char *start = kind == FILE_READ ? map_file(size) : map(size);

	if (kind == CLOSED && mprotect(start, size, PROT_NONE))
		fail("mappings: mprotect");
	if (kind == BOUND && syscall(SYS_mbind, start, size, MPOL_BIND, &mask, 64, 0))
		fail("mappings: mbind");
	*m = (struct mapping) { start, size };
}

static void use(const struct mapping *m, int kind)
{
	size_t at;

	for (at = 0; kind != CLOSED && at < m->size; at += PAGE)
		(void)m->start[at];
}

/* Pages that are on other nodes. */
static size_t moved(const struct mapping *m)
{
	size_t at, i, nr = 0;

	for (at = 0; at < m->size; at += BATCH * PAGE) {
		void *pages[BATCH];
		int status[BATCH];

		for (i = 0; i < BATCH; i++)
			pages[i] = (char *)m->start + at + i * PAGE;
		if (syscall(SYS_move_pages, 0, BATCH, pages, NULL, status, 0))
			fail("mappings: move_pages");
		for (i = 0; i < BATCH; i++)
			nr += status[i] >= 0 && status[i] != (int)node;
	}
	return nr;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

/* Whoever changes how memory is protected holds the address space: here for 2/3 of the time. */
static void *keep_changing(void *start)
{
	unsigned long i;

	for (i = 0;; i++) {
		uint64_t begin = now_ns(), end;

		if (mprotect(start, CHANGED, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ))
			fail("mappings: mprotect");
		end = now_ns();
		while (now_ns() - end < (end - begin) / 2)
			;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct mapping mappings[NR];
	pthread_t thread;
	int i, nr = 1;
	uint64_t begin;
	size_t size;

	if (argc != 4 || (strcmp(argv[3], "kinds") && strcmp(argv[3], "changing"))) {
		fprintf(stderr, "usage: mappings NODE MEGABYTES kinds|changing\n");
		return 2;
	}
	node = strtoul(argv[1], NULL, 0);
	size = strtoul(argv[2], NULL, 0) << 20;
	if (!strcmp(argv[3], "kinds"))
		nr = NR;
	set_policy(MPOL_BIND);
	for (i = 0; i < nr; i++)
		make(&mappings[i], i, size << i);
	set_policy(MPOL_DEFAULT);
	/* On a debug kernel it takes seconds to fill what is to be changed. */
	if (nr == 1 && pthread_create(&thread, NULL, keep_changing, map(CHANGED)))
		fail("mappings: pthread_create");
	begin = now_ns();

	while ((moved(&mappings[PLAIN]) < size / PAGE * 9 / 10 &&
		now_ns() - begin < SECONDS * SECOND) ||
	       (nr == 1 && now_ns() - begin < LEAST * SECOND)) {
		for (i = 0; i < nr; i++)
			use(&mappings[i], i);
		usleep(10000);
	}
	for (i = 0; i < nr; i++)
		printf("%zu%c", moved(&mappings[i]), i == nr - 1 ? '\n' : ' ');
	return 0;
}
