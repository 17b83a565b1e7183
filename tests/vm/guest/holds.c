// SPDX-License-Identifier: GPL-2.0
/*
 * Has memory of a node that others hold, too.
 *
 * Usage: holds NODE PAGES pinned|mapped TIMES
 *
 * Fills PAGES of anonymous memory on NODE, which has no policy then. With "pinned" they are
 * registered as a buffer of an io_uring, which pins them. With "mapped" TIMES processes map
 * them. Prints "ready", and for each line of its input how many of the pages are on NODE.
 */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <linux/mempolicy.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE	4096ul

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int pin(char *memory, size_t size)
{
	struct io_uring_params params = { 0 };
	struct iovec buffer = { .iov_base = memory, .iov_len = size };
	int ring = syscall(SYS_io_uring_setup, 1, &params);

	if (ring < 0)
		return -1;
	return syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1);
}

/* Processes that map it all, as they are forks, and end with this one. */
static int map(unsigned int times)
{
	int ends[2];

	if (pipe(ends))
		return -1;
	while (--times) {
		pid_t child = fork();

		if (child < 0)
			return -1;
		if (!child) {
			char c;

			close(ends[1]);
			_exit(read(ends[0], &c, 1) < 0);
		}
	}
	return 0;
}

static unsigned long count_on(unsigned long node, char *memory, unsigned long pages)
{
	unsigned long i, count = 0;

	for (i = 0; i < pages; i++) {
		void *page = memory + i * PAGE;
		int status = -1;

		syscall(SYS_move_pages, 0, 1ul, &page, NULL, &status, 0);
		count += status == (int)node;
	}
	return count;
}

int main(int argc, char **argv)
{
	bool pinned = argc == 5 && !strcmp(argv[3], "pinned");
	unsigned long node, pages, mask;
	char *memory, line[16];

	if (!pinned && (argc != 5 || strcmp(argv[3], "mapped"))) {
		fprintf(stderr, "usage: holds NODE PAGES pinned|mapped TIMES\n");
		return 2;
	}
	node = strtoul(argv[1], NULL, 0);
	pages = strtoul(argv[2], NULL, 0);
	mask = 1ul << node;
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED || syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64))
		return fail("holds");
	memset(memory, 0x5a, pages * PAGE);
	if (syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0))
		return fail("holds");
	if (pinned ? pin(memory, pages * PAGE) : map(atoi(argv[4])))
		return fail("holds");
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%lu\n", count_on(node, memory, pages));
		fflush(stdout);
	}
	return 0;
}
