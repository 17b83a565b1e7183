// SPDX-License-Identifier: GPL-2.0
/*
 * What an access to one of many pages takes, for machines whose TLBs are modelled. One line of
 * each page is used, in a cycle of loads that depend on each other.
 *
 * Usage: reach PAGES small|huge|sparse NODE
 *
 * PAGES is a power of two. The pages have 4 KiB and lie side by side (small), as parts of huge
 * pages (huge), or one in each 2 MiB of addresses, so that each has a page table of its own
 * (sparse). They and their page tables are on NODE. Prints the nanoseconds of an access.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "args.h"
#include "chase.h"
#include "marker.h"
#include "now.h"
#include "numa.h"

#define LINE_BYTES	64
#define PAGE_LINES	(NUMA_PAGE / LINE_BYTES)
#define HUGE_PAGE	(UINT64_C(1) << 21)
#define ACCESSES	(UINT64_C(1) << 18)	/* that are measured, at least */

/* Memory of whole huge pages. */
static char *map(uint64_t bytes, int advice)
{
	char *p;

	bytes += -bytes % HUGE_PAGE;
	p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		args_die("mmap");
	p += -(uintptr_t)p % HUGE_PAGE;
	if (madvise(p, bytes, advice))
		args_die("madvise");
	return p;
}

/* The line of page @i that is used, so that the pages' lines share the sets of caches evenly. */
static void *line_of(char *memory, uint64_t stride, uint64_t i)
{
	return memory + i * stride + (i + i / 32) % PAGE_LINES * LINE_BYTES;
}

int main(int argc, char **argv)
{
	uint64_t pages, rounds, stride = NUMA_PAGE, begin, i;
	int advice = MADV_NOHUGEPAGE;
	char *memory;
	void *at;

	args_program = "reach";
	if (argc != 4) {
		fprintf(stderr, "usage: reach PAGES small|huge|sparse NODE\n");
		return 2;
	}
	pages = args_number("PAGES", argv[1], CHASE_UNROLL, 1 << 20);
	if (pages & (pages - 1))
		args_bad("PAGES", "%" PRIu64 " is not a power of two", pages);
	if (!strcmp(argv[2], "huge"))
		advice = MADV_HUGEPAGE;
	else if (!strcmp(argv[2], "sparse"))
		stride = HUGE_PAGE;
	else if (strcmp(argv[2], "small"))
		args_bad(argv[2], "is not one of small, huge, sparse");
	if (numa_bind_memory(numa_node_argument("NODE", argv[3])))
		args_die("set_mempolicy");

	marker_arm();
	memory = map(pages * stride, advice);
	for (i = 0; i < pages; i++)
		*(void **)line_of(memory, stride, i) =
			line_of(memory, stride, chase_next(i, pages));
	rounds = ACCESSES / pages + 1;
	/* The first rounds fill what can be filled. */
	at = chase(line_of(memory, stride, 0), 2 * pages);
	marker_begin();
	begin = now_ns();
	at = chase(at, rounds * pages);
	begin = now_ns() - begin;
	marker_end();
	printf("%.3f\n", (double)begin / (rounds * pages));
	return at == line_of(memory, stride, 0) ? 0 : 1;
}
