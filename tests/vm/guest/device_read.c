// SPDX-License-Identifier: GPL-2.0
/*
 * What a read of a device's memory takes.
 *
 * Usage: device_read FILE READS
 *
 * FILE is the resource of a BAR in sysfs, whose first 8 bytes are read so often, a multiple of 16.
 * Prints the nanoseconds of a read, in which are 1.125 instructions.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define BYTES	4096
#define UNROLL	16

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long reads, left;
	uint64_t value;
	double begin;
	void *memory;
	int fd;

	reads = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (!reads || reads % UNROLL) {
		fprintf(stderr, "usage: device_read FILE READS\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		perror("device_read: mmap");
		return 1;
	}
	left = reads / UNROLL;
	begin = now_ns();
	__asm__ volatile("1:\n\t"
			 ".rept 16\n\t"
			 "mov (%2), %0\n\t"
			 ".endr\n\t"
			 "sub $1, %1\n\t"
			 "jnz 1b"
			 : "=&r"(value), "+r"(left) : "r"(memory) : "memory", "cc");
	printf("%.3f\n", (now_ns() - begin) / reads);
	return 0;
}
