// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps its memory on a slow node, however often somebody promotes it.
 *
 * Usage: adversary NODE MEGABYTES THREADS SECONDS [used]
 *
 * Fills MEGABYTES of anonymous memory on NODE and prints "ready". Then each thread moves its
 * part of the pages back to NODE, again and again, for SECONDS. With "used" it reads the pages
 * each time as well, so that accessed bits tell of them. Needs no privilege. Prints
 * how many pages were moved back.
 */
#include <linux/mempolicy.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096ul
#define CHUNK		512

static char *memory;
static size_t pages;
static unsigned long nr_threads;
static int node;
static bool used;
static double end;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Returns how many of @nr pages from @first on were elsewhere. */
static size_t move_back(size_t first, size_t nr)
{
	void *addresses[CHUNK];
	int nodes[CHUNK], status[CHUNK];
	size_t i, elsewhere = 0;

	for (i = 0; i < nr; i++) {
		addresses[i] = memory + (first + i) * PAGE;
		nodes[i] = node;
	}
	if (syscall(SYS_move_pages, 0, nr, addresses, NULL, status, 0))
		return 0;
	for (i = 0; i < nr; i++)
		elsewhere += status[i] >= 0 && status[i] != node;
	if (elsewhere)
		syscall(SYS_move_pages, 0, nr, addresses, nodes, status, MPOL_MF_MOVE);
	return elsewhere;
}

static void *work(void *arg)
{
	uintptr_t thread = (uintptr_t)arg;
	size_t first = pages * thread / nr_threads, last = pages * (thread + 1) / nr_threads, at;
	uintptr_t moved = 0;

	while (now() < end) {
		for (at = first; used && at < last; at++)
			(void)*(volatile char *)(memory + at * PAGE);
		for (at = first; at < last; at += CHUNK)
			moved += move_back(at, last - at < CHUNK ? last - at : CHUNK);
		usleep(1000);
	}
	return (void *)moved;
}

int main(int argc, char **argv)
{
	unsigned long mask, i;
	uintptr_t moved = 0;
	pthread_t *threads;

	if (argc < 5 || argc > 6 || (argc == 6 && strcmp(argv[5], "used"))) {
		fprintf(stderr, "usage: adversary NODE MEGABYTES THREADS SECONDS [used]\n");
		return 2;
	}
	used = argc == 6;
	node = atoi(argv[1]);
	pages = strtoul(argv[2], NULL, 0) << 8;
	nr_threads = strtoul(argv[3], NULL, 0);
	mask = 1ul << node;
	threads = calloc(nr_threads, sizeof(*threads));
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (!threads || memory == MAP_FAILED || syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64)) {
		perror("adversary");
		return 1;
	}
	memset(memory, 0x5a, pages * PAGE);
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	puts("ready");
	fflush(stdout);
	end = now() + atof(argv[4]);
	for (i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i], NULL, work, (void *)i)) {
			perror("adversary: thread");
			return 1;
		}
	}
	for (i = 0; i < nr_threads; i++) {
		void *result;

		pthread_join(threads[i], &result);
		moved += (uintptr_t)result;
	}
	printf("%lu\n", (unsigned long)moved);
	return 0;
}
