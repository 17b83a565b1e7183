// SPDX-License-Identifier: GPL-2.0
#include "place.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "marker.h"
#include "numa.h"

#define MOVE_BATCH	4096
#define MOVE_TRIES	5

static int move_batch(char *start, size_t pages, int node)
{
	static void *page[MOVE_BATCH];
	static int nodes[MOVE_BATCH], status[MOVE_BATCH];
	size_t i;

	for (i = 0; i < pages; i++) {
		page[i] = start + i * NUMA_PAGE;
		nodes[i] = node;
	}
	/* What it says of single pages is for place_move() to find out. */
	return syscall(SYS_move_pages, 0, pages, page, nodes, status, MPOL_MF_MOVE) < 0 ? -1 : 0;
}

int place_move(void *start, size_t bytes, int node)
{
	size_t count[NUMA_MAX_NODES], pages = bytes / NUMA_PAGE, at, n;
	int tries;

	if (syscall(SYS_mbind, start, bytes, MPOL_DEFAULT, NULL, 0, 0))
		return -1;
	/* A page that is in use just then stays where it is. */
	for (tries = 0; ; tries++) {
		if (numa_count_pages(start, bytes, count) < 0)
			return -1;
		if (count[node] == pages)
			return 0;
		if (tries == MOVE_TRIES)
			break;
		for (at = 0; at < pages; at += n) {
			n = pages - at < MOVE_BATCH ? pages - at : MOVE_BATCH;
			if (move_batch((char *)start + at * NUMA_PAGE, n, node))
				return -1;
		}
	}
	errno = EBUSY;
	return -1;
}

int place_census(void *start, size_t bytes)
{
	const volatile char *byte = start, *end = byte + bytes;

	/* What these loads meet they are not to promote. */
	if (numa_hold_memory(start, bytes, true))
		return -1;
	marker_census((uintptr_t)start, (uintptr_t)start + bytes - 1);
	for (; byte < end; byte += NUMA_PAGE)
		(void)*byte;
	marker_census_end();
	return 0;
}

int place_print(const void *start, size_t bytes)
{
	size_t count[NUMA_MAX_NODES];
	const char *sep = "";
	int n;

	if (numa_count_pages(start, bytes, count) < 0)
		return -1;
	putchar('{');
	for (n = 0; n < NUMA_MAX_NODES; n++) {
		if (!numa_node_online(n))
			continue;
		printf("%s\"%d\":%zu", sep, n, count[n]);
		sep = ",";
	}
	putchar('}');
	return 0;
}
