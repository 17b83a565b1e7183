// SPDX-License-Identifier: GPL-2.0
/*
 * What a load takes that no cache has, if it needs the one before it, and if it does not.
 *
 * Usage: misses dependent|independent MEGABYTES NODE
 *
 * Loads a line of so much memory on NODE (a power of two, several times the caches), and another
 * one, until each was loaded, in an order that no prefetcher knows. With "dependent" a line has the
 * address of the next one, with "independent" the address is computed. Prints the nanoseconds of
 * a load, in which are 1.125 instructions in the first case and 7 in the second.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "args.h"
#include "chase.h"
#include "marker.h"
#include "now.h"
#include "numa.h"

#define LINE_BYTES	64

/*
 * @n loads of lines among @n of them, each 7 instructions. The order is not that of the links, so
 * that no line has the address of the next one.
 */
static void load_independent(const char *memory, uint64_t n)
{
	uint64_t i = 0, left = n, line, mask = (n - 1) * LINE_BYTES;

	__asm__ volatile("1:\n\t"
			 "imul %[factor], %[i]\n\t"
			 "add %[more], %[i]\n\t"
			 "mov %[i], %[line]\n\t"
			 "and %[mask], %[line]\n\t"
			 "mov (%[memory],%[line]), %[line]\n\t"
			 "sub $1, %[left]\n\t"
			 "jnz 1b"
			 : [i] "+r"(i), [left] "+r"(left), [line] "=&r"(line)
			 : [factor] "r"(CHASE_FACTOR), [more] "i"(LINE_BYTES),
			   [mask] "r"(mask), [memory] "r"(memory)
			 : "memory", "cc");
}

/* All @n lines from @memory on. Returns @memory, where the links end after so many. */
static void *load_all(void *memory, uint64_t n, bool dependent)
{
	if (dependent)
		return chase(memory, n);
	load_independent(memory, n);
	return memory;
}

int main(int argc, char **argv)
{
	uint64_t bytes, lines, begin, i;
	bool dependent;
	char *memory;
	void *at;

	args_program = "misses";
	if (argc != 4) {
		fprintf(stderr, "usage: misses dependent|independent MEGABYTES NODE\n");
		return 2;
	}
	dependent = !strcmp(argv[1], "dependent");
	if (!dependent && strcmp(argv[1], "independent"))
		args_bad(argv[1], "is not one of dependent, independent");
	bytes = args_number("MEGABYTES", argv[2], 1, 1 << 20) << 20;
	if (bytes & (bytes - 1))
		args_bad("MEGABYTES", "%s is not a power of two", argv[2]);
	if (numa_bind_memory(numa_node_argument("NODE", argv[3])))
		args_die("set_mempolicy");

	marker_arm();
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE))
		args_die("mmap");
	lines = bytes / LINE_BYTES;
	for (i = 0; i < lines; i++)
		*(void **)(memory + i * LINE_BYTES) =
			memory + chase_next(i, lines) * LINE_BYTES;
	/* In the same order as later: so what is in the caches then is what comes last. */
	at = load_all(memory, lines, dependent);
	marker_begin();
	begin = now_ns();
	at = load_all(at, lines, dependent);
	begin = now_ns() - begin;
	marker_end();
	printf("%.3f\n", (double)begin / lines);
	return at == memory ? 0 : 1;
}
