// SPDX-License-Identifier: GPL-2.0
/*
 * What a load costs that no cache has, without any of the plugin's marks.
 *
 * Usage: chase MEGABYTES
 *
 * Links all lines of so much memory (a power of two) into one cycle, in an order that no
 * stream follows, goes through it twice, so that nothing of the links' making is in a cache
 * the second time, and prints the nanoseconds of a step of that.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_BYTES	64
#define NSEC_PER_SEC	UINT64_C(1000000000)

static void **step(void **at, uint64_t n)
{
	while (n--)
		at = *(void *volatile *)at;
	return at;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t lines = argc == 2 ? strtoull(argv[1], NULL, 10) * (1 << 20) / LINE_BYTES : 0;
	uint64_t begin, i;
	char *memory;
	void **at;

	if (!lines || lines & (lines - 1)) {
		fprintf(stderr, "usage: chase MEGABYTES\n");
		return 2;
	}
	memory = aligned_alloc(LINE_BYTES, lines * LINE_BYTES);
	if (!memory) {
		perror("chase");
		return 1;
	}
	/* A generator that meets all lines: multiplier 1 mod 4, odd increment. */
	for (i = 0; i < lines; i++)
		*(void **)(memory + i * LINE_BYTES) =
			memory + ((i * 1664525 + 1013904223) & (lines - 1)) * LINE_BYTES;
	at = step((void **)memory, lines);
	begin = now_ns();
	at = step(at, lines);
	printf("%.1f\n", (double)(now_ns() - begin) / lines);
	return at == (void **)memory ? 0 : 1;
}
