// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "numa.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "args.h"

#define COUNT_BATCH	1024

int numa_node_online(int node)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
	return !access(path, F_OK);
}

int numa_node_argument(const char *option, const char *text)
{
	int node = args_number(option, text, 0, NUMA_MAX_NODES - 1);

	if (!numa_node_online(node))
		args_bad(option, "there is no node %d", node);
	return node;
}

int numa_node_cpus(int node, cpu_set_t *set)
{
	unsigned int first, last;
	char path[64];
	int n;
	FILE *f;

	CPU_ZERO(set);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	f = fopen(path, "r");
	if (!f)
		return 0;
	/* "0-3,8": ranges and single CPUs */
	while ((n = fscanf(f, "%u-%u", &first, &last)) > 0) {
		if (n == 1)
			last = first;
		for (; first <= last; first++)
			CPU_SET(first, set);
		if (fgetc(f) != ',')
			break;
	}
	fclose(f);
	return CPU_COUNT(set);
}

int numa_bind_memory(int node)
{
	unsigned long mask;

	if (node < 0)
		return syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	mask = 1ul << node;
	/* The kernel reads one bit less than it is told. */
	return syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask) + 1);
}

/* Any policy of the range's own does, but for those that ask for balancing. */
int numa_hold_memory(void *start, size_t bytes, bool hold)
{
	return syscall(SYS_mbind, start, bytes, hold ? MPOL_LOCAL : MPOL_DEFAULT, NULL, 0, 0);
}

long numa_count_pages(const void *start, size_t bytes, size_t count[NUMA_MAX_NODES])
{
	size_t left = bytes / NUMA_PAGE, n, i;
	const char *at = start;
	void *page[COUNT_BATCH];
	int status[COUNT_BATCH];
	long nowhere = 0;

	memset(count, 0, NUMA_MAX_NODES * sizeof(*count));
	for (; left; left -= n) {
		n = left < COUNT_BATCH ? left : COUNT_BATCH;
		for (i = 0; i < n; i++, at += NUMA_PAGE)
			page[i] = (void *)at;
		if (syscall(SYS_move_pages, 0, n, page, NULL, status, 0) < 0)
			return -1;
		for (i = 0; i < n; i++) {
			if (status[i] >= 0 && status[i] < NUMA_MAX_NODES)
				count[status[i]]++;
			else
				nowhere++;
		}
	}
	return nowhere;
}
