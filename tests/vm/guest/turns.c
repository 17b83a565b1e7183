// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of many control groups that alternates in physical memory.
 *
 * Usage: turns NODE PAGES GROUP...
 *
 * Each GROUP, a folder of the cgroup file system, gets a process. They take turns: in each turn a
 * process fills one page on NODE, until each has PAGES. The memory has no policy then. Prints
 * "ready", and all keep their memory until this is killed.
 */
#include <linux/mempolicy.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096ul

static void fail(const char *what)
{
	fprintf(stderr, "turns: ");
	perror(what);
	kill(0, SIGTERM);
	exit(1);
}

static void enter(const char *group)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	close(fd);
}

/* A byte goes around: who reads it has the turn. */
static void keep(const char *group, unsigned long node, unsigned long pages, int turn, int next)
{
	unsigned long mask = 1ul << node, i;
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	enter(group);
	if (memory == MAP_FAILED ||
	    syscall(SYS_mbind, memory, pages * PAGE, MPOL_BIND, &mask, 64, 0))
		fail("memory");
	for (i = 0; i < pages; i++) {
		if (read(turn, &byte, 1) != 1)
			fail("turn");
		memory[i * PAGE] = 1;
		if (write(next, &byte, 1) != 1)
			fail("next");
	}
	if (syscall(SYS_mbind, memory, pages * PAGE, MPOL_DEFAULT, NULL, 0, 0))
		fail("mbind");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int first[2], turn[2], next[2], i;
	unsigned long pages;
	char byte = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: turns NODE PAGES GROUP...\n");
		return 2;
	}
	pages = strtoul(argv[2], NULL, 0);
	if (pipe(first))
		fail("pipe");
	turn[0] = first[0];
	for (i = 3; i < argc; i++) {
		if (pipe(next))
			fail("pipe");
		if (!fork())
			keep(argv[i], strtoul(argv[1], NULL, 0), pages, turn[0], next[1]);
		turn[0] = next[0];
	}
	/* This is the last of the round, and begins the next one. */
	while (pages--)
		if (write(first[1], &byte, 1) != 1 || read(turn[0], &byte, 1) != 1)
			fail("round");
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
