// SPDX-License-Identifier: GPL-2.0
/*
 * Takes memory of a node away.
 *
 * Usage: hog NODE MEGABYTES [lock|again|bound|share]
 *
 * Fills MEGABYTES of anonymous memory on NODE, which has no policy then, prints "ready", and
 * keeps it until it is killed. With "lock" it also stays where it is. With "again" the memory
 * can be shared, and takes faults a second time, when its pages are on LRU lists. With
 * "bound" it has a policy that binds it to NODE. With "share" a child reads it, too, and keeps
 * it as long.
 */
#include <linux/mempolicy.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool lock = argc == 4 && !strcmp(argv[3], "lock");
	bool again = argc == 4 && !strcmp(argv[3], "again");
	bool bound = argc == 4 && !strcmp(argv[3], "bound");
	bool share = argc == 4 && !strcmp(argv[3], "share");
	unsigned long mask;
	char *memory;
	size_t size;

	if (argc != 3 && !lock && !again && !bound && !share) {
		fprintf(stderr, "usage: hog NODE MEGABYTES [lock|again|bound|share]\n");
		return 2;
	}
	mask = 1ul << strtoul(argv[1], NULL, 0);
	size = strtoul(argv[2], NULL, 0) << 20;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      (again || share ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
	/* Just this: with a policy of the process, the kernel's own for it would be there, too. */
	if (memory == MAP_FAILED ||
	    syscall(SYS_mbind, memory, size, MPOL_BIND, &mask, 64, 0)) {
		perror("hog");
		return 1;
	}
	memset(memory, 0x5a, size);
	if (lock && mlock(memory, size)) {
		perror("hog: mlock");
		return 1;
	}
	if (!bound && syscall(SYS_mbind, memory, size, MPOL_DEFAULT, NULL, 0, 0)) {
		perror("hog: mbind");
		return 1;
	}
	if (again) {
		if (madvise(memory, size, MADV_DONTNEED)) {
			perror("hog: madvise");
			return 1;
		}
		memset(memory, 0x5a, size);
	}
	if (share && !fork()) {
		volatile const char *page;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (page = memory; page < memory + size; page += 4096)
			(void)*page;
		puts("ready");
		fflush(stdout);
	} else if (!share) {
		puts("ready");
		fflush(stdout);
	}
	for (;;)
		pause();
}
