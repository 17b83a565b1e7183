// SPDX-License-Identifier: GPL-2.0
/*
 * Takes memory of a node away.
 *
 * Usage: hog NODE MEGABYTES [lock]
 *
 * Fills MEGABYTES of anonymous memory on NODE, prints "ready", and keeps it until
 * it is killed. With "lock" it also stays where it is.
 */
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long mask;
	char *memory;
	size_t size;

	if (argc != 3 && !(argc == 4 && !strcmp(argv[3], "lock"))) {
		fprintf(stderr, "usage: hog NODE MEGABYTES [lock]\n");
		return 2;
	}
	mask = 1ul << strtoul(argv[1], NULL, 0);
	size = strtoul(argv[2], NULL, 0) << 20;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64)) {
		perror("hog");
		return 1;
	}
	memset(memory, 0x5a, size);
	if (argc == 4 && mlock(memory, size)) {
		perror("hog: mlock");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
