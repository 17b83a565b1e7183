// SPDX-License-Identifier: GPL-2.0
/*
 * Has memory of a node that somebody or something holds there, and uses it.
 *
 * Usage: holds NODE PAGES pinned|mapped TIMES
 *        holds NODE PAGES POLICY OTHER
 *
 * Fills PAGES of anonymous memory on NODE, which has no policy then. With "pinned" they are
 * registered as a buffer of an io_uring, which pins them. With "mapped" TIMES processes map
 * them. A policy is one of "bind" (to NODE), "both" (to NODE and OTHER), "balanced" (likewise,
 * with MPOL_F_NUMA_BALANCING), "prefer" (NODE), "interleave" (over both) for the memory, or
 * "task" (bound to NODE) for the process. With "half" TIMES processes map it, the last of which
 * has it bound to NODE.
 * Prints "ready", uses the pages all the time, and prints for each line of its
 * input how many of them are on NODE.
 */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <linux/mempolicy.h>
#include <poll.h>
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

static const struct policy {
	const char *name;
	int mode;
	bool other;	/* its nodes are two */
} policies[] = {
	{ "bind", MPOL_BIND, false },
	{ "both", MPOL_BIND, true },
	{ "balanced", MPOL_BIND | MPOL_F_NUMA_BALANCING, true },
	{ "prefer", MPOL_PREFERRED, false },
	{ "interleave", MPOL_INTERLEAVE, true },
	{ NULL, 0, false },
};

static int set_policy(char *memory, size_t size, const char *name, unsigned long node,
		      unsigned long other)
{
	unsigned long mask = 1ul << node;
	const struct policy *policy;

	if (!strcmp(name, "task"))
		return syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64);
	for (policy = policies; policy->name; policy++) {
		if (strcmp(name, policy->name))
			continue;
		if (policy->other)
			mask |= 1ul << other;
		return syscall(SYS_mbind, memory, size, policy->mode, &mask, 64, 0);
	}
	fprintf(stderr, "holds: no such policy: %s\n", name);
	return -1;
}

/* Processes that map it all, as they are forks, and end with this one. */
static int map(unsigned int times, char *memory, size_t size, const unsigned long *bound_to)
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
			if (times == 1 && bound_to &&
			    syscall(SYS_mbind, memory, size, MPOL_BIND, bound_to, 64, 0))
				_exit(1);
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

static int hold(const char *how, const char *number, char *memory, size_t size,
		unsigned long node)
{
	unsigned long mask = 1ul << node;

	if (!strcmp(how, "pinned"))
		return pin(memory, size);
	if (!strcmp(how, "mapped") || !strcmp(how, "half"))
		return map(atoi(number), memory, size, strcmp(how, "half") ? NULL : &mask);
	return set_policy(memory, size, how, node, strtoul(number, NULL, 0));
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned long node, pages, mask, i;
	volatile char *use;
	char *memory, line[16];

	if (argc != 5) {
		fprintf(stderr, "usage: holds NODE PAGES pinned|mapped|half|POLICY NUMBER\n");
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
	if (hold(argv[3], argv[4], memory, pages * PAGE, node))
		return fail("holds");
	puts("ready");
	fflush(stdout);
	for (use = memory;;) {
		int ready = poll(&input, 1, 1);

		if (ready && read(STDIN_FILENO, line, sizeof(line)) <= 0)
			return 0;
		if (ready) {
			printf("%lu\n", count_on(node, memory, pages));
			fflush(stdout);
		}
		/* Reading leaves pages shared that forks have not written to. */
		for (i = 0; i < 10 * pages; i++)
			(void)use[i % pages * PAGE];
	}
}
