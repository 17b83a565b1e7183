// SPDX-License-Identifier: GPL-2.0
/*
 * Takes page faults, and counts them as any program may.
 *
 * Usage: faults NODE MEGABYTES [fifo]
 *
 * Touches MEGABYTES of anonymous memory on NODE, page by page, and prints how many minor
 * faults of its own a performance counter saw, for how long the counter was enabled and
 * for how long it ran, ns. With "fifo" nothing else runs on its CPU meanwhile.
 */
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_ADDR,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

int main(int argc, char **argv)
{
	struct sched_param fifo = { .sched_priority = 50 };
	uint64_t count[3] = { 0 };
	unsigned long mask;
	char *memory;
	size_t size, i;
	int counter;

	if (argc != 3 && !(argc == 4 && !strcmp(argv[3], "fifo"))) {
		fprintf(stderr, "usage: faults NODE MEGABYTES [fifo]\n");
		return 2;
	}
	mask = 1ul << strtoul(argv[1], NULL, 0);
	size = strtoul(argv[2], NULL, 0) << 20;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	counter = open_counter();
	if (memory == MAP_FAILED || counter < 0 ||
	    syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64) ||
	    (argc == 4 && sched_setscheduler(0, SCHED_FIFO, &fifo))) {
		perror("faults");
		return 1;
	}
	for (i = 0; i < size; i += 4096)
		memory[i] = 1;
	if (read(counter, count, sizeof(count)) != sizeof(count)) {
		perror("faults: read");
		return 1;
	}
	printf("%llu %llu %llu\n", (unsigned long long)count[0], (unsigned long long)count[1],
	       (unsigned long long)count[2]);
	return 0;
}
