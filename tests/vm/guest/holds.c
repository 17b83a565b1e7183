// SPDX-License-Identifier: GPL-2.0
/*
 * Has memory of a node that somebody or something holds there, and uses it.
 *
 * Usage: holds NODE PAGES pinned|mapped TIMES
 *        holds NODE PAGES POLICY OTHER
 *        holds NODE PAGES apart TIMES
 *        holds NODE PAGES code|unread TIMES
 *        holds NODE PAGES file|bound-file NUMBER
 *
 * Fills PAGES of anonymous memory on NODE, which has no policy then. With "pinned" they are
 * registered as a buffer of an io_uring, which pins them. With "mapped" TIMES processes map
 * them. A policy is one of "bind" (to NODE), "both" (to NODE and OTHER), "balanced" (likewise,
 * with MPOL_F_NUMA_BALANCING), "prefer" (NODE), "interleave" (over both) for the memory, or
 * "task" (bound to NODE) for the process. With "half" TIMES processes map it, the last of which
 * has it bound to NODE. With "apart" that one has written to it before, and so has pages of its
 * own there.
 *
 * With "code" the pages are those of the file /tmp/ramfs/code instead, and TIMES processes map
 * it as code that they may execute. With "unread" only the last of them may, and it does not have
 * the pages in its page table. With "file" they are those of a file in memory (tmpfs) that
 * nobody maps, with "bound-file" of one whose pages a mapping has bound to NODE before.
 *
 * Prints "ready", uses the pages all the time, and prints for each line of its
 * input how many of them are on NODE.
 */
#define _GNU_SOURCE
#include <fcntl.h>
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

static void use(const volatile char *memory, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += PAGE)
		(void)memory[i];
}

/* What the last one of the processes that map it does. */
static int be_last(const char *how, char *memory, size_t size, const unsigned long *node)
{
	if (!strcmp(how, "apart"))
		memset(memory, 0x33, size);
	if (!strcmp(how, "half") || !strcmp(how, "apart"))
		return syscall(SYS_mbind, memory, size, MPOL_BIND, node, 64, 0);
	if (!strcmp(how, "unread"))
		return madvise(memory, size, MADV_DONTNEED) ||
		       mprotect(memory, size, PROT_READ | PROT_EXEC);
	return 0;
}

/* Processes that map it all, as they are forks, and end with this one. */
static int map(unsigned int times, const char *how, char *memory, size_t size,
	       const unsigned long *node)
{
	int ends[2], used[2];
	char c;

	if (pipe(ends) || pipe(used))
		return -1;
	while (--times) {
		pid_t child = fork();

		if (child < 0)
			return -1;
		if (!child) {
			close(ends[1]);
			use(memory, size); /* a fork leaves the mappings of files out */
			if (times == 1 && be_last(how, memory, size, node))
				_exit(1);
			close(used[1]);
			_exit(read(ends[0], &c, 1) < 0);
		}
	}
	close(used[1]);
	return read(used[0], &c, 1); /* 0: the last one has closed it */
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

static char *map_file(int fd, int prot, int flags, size_t size)
{
	if (fd < 0 || ftruncate(fd, size))
		return MAP_FAILED;
	return mmap(NULL, size, prot, flags, fd, 0);
}

/* Its pages are where the policy of the process has them. MAP_FAILED if there is no memory. */
static char *create(const char *how, size_t size)
{
	const int prot = PROT_READ | PROT_WRITE;
	char *memory;

	if (!strcmp(how, "code") || !strcmp(how, "unread")) {
		int code = strcmp(how, "code") ? 0 : PROT_EXEC;

		/* Read alone: pages that are dirty do not move in this file system. */
		memory = map_file(open("/tmp/ramfs/code", O_RDWR | O_CREAT | O_TRUNC, 0700),
				  PROT_READ | code, MAP_PRIVATE, size);
		if (memory != MAP_FAILED)
			use(memory, size);
		return memory;
	}
	if (!strcmp(how, "file") || !strcmp(how, "bound-file"))
		memory = map_file(memfd_create("holds", 0), prot, MAP_SHARED, size);
	else
		memory = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		memset(memory, 0x5a, size);
	return memory;
}

/* Returns 0 if NODE's memory is held as it is to be. */
static int hold(const char *how, const char *number, char *memory, size_t size,
		unsigned long node)
{
	unsigned long mask = 1ul << node;

	if (!strcmp(how, "pinned"))
		return pin(memory, size);
	if (!strcmp(how, "bound-file") &&
	    syscall(SYS_mbind, memory, size, MPOL_BIND, &mask, 64, 0))
		return -1;
	if (!strcmp(how, "file") || !strcmp(how, "bound-file"))
		return madvise(memory, size, MADV_DONTNEED); /* unmaps, the file keeps them */
	if (!strcmp(how, "mapped") || !strcmp(how, "code") || !strcmp(how, "unread") ||
	    !strcmp(how, "half") || !strcmp(how, "apart"))
		return map(atoi(number), how, memory, size, &mask);
	return set_policy(memory, size, how, node, strtoul(number, NULL, 0));
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned long node, pages, mask, i;
	char *memory, line[16];
	bool unmapped;

	if (argc != 5) {
		fprintf(stderr, "usage: holds NODE PAGES KIND NUMBER\n");
		return 2;
	}
	unmapped = strstr(argv[3], "file");
	node = strtoul(argv[1], NULL, 0);
	pages = strtoul(argv[2], NULL, 0);
	mask = 1ul << node;
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64))
		return fail("holds");
	memory = create(argv[3], pages * PAGE);
	if (memory == MAP_FAILED)
		return fail("holds");
	if (syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0))
		return fail("holds");
	if (hold(argv[3], argv[4], memory, pages * PAGE, node))
		return fail("holds");
	puts("ready");
	fflush(stdout);
	for (;;) {
		int ready = poll(&input, 1, 1);

		if (ready && read(STDIN_FILENO, line, sizeof(line)) <= 0)
			return 0;
		if (ready) {
			use(memory, pages * PAGE);
			printf("%lu\n", count_on(node, memory, pages));
			fflush(stdout);
		}
		/* Reading leaves pages shared that forks have not written to. */
		for (i = 0; i < 10 && !unmapped; i++)
			use(memory, pages * PAGE);
	}
}
