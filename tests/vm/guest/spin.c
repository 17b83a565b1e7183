// SPDX-License-Identifier: GPL-2.0
/*
 * A process that runs on many CPUs, and has memory that it does not use.
 *
 * Usage: spin NODE MEGABYTES
 *
 * Fills MEGABYTES of anonymous memory on NODE, which has no policy then, and has a thread compute
 * on each CPU. Prints "ready", and goes on until it is killed.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define PAUSE	"pause"
#else
#define PAUSE	"yield"
#endif

static void fail(const char *what)
{
	fprintf(stderr, "spin: ");
	perror(what);
	exit(1);
}

static void *compute(void *cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((long)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		fail("sched_setaffinity");
	for (;;)
		__asm__ volatile(PAUSE);
	return NULL;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	unsigned long mask;
	pthread_t thread;
	size_t size;
	void *memory;

	if (argc != 3) {
		fprintf(stderr, "usage: spin NODE MEGABYTES\n");
		return 2;
	}
	mask = 1ul << strtoul(argv[1], NULL, 0);
	size = strtoul(argv[2], NULL, 0) << 20;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || syscall(SYS_mbind, memory, size, MPOL_BIND, &mask, 64, 0))
		fail("memory");
	memset(memory, 0x5a, size);
	if (syscall(SYS_mbind, memory, size, MPOL_DEFAULT, NULL, 0, 0))
		fail("mbind");
	for (cpu = 0; cpu < cpus; cpu++)
		if (pthread_create(&thread, NULL, compute, (void *)cpu))
			fail("pthread_create");
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
