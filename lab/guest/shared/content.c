// SPDX-License-Identifier: GPL-2.0
#include "content.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"

#define WRONG_NAMED	8

void content_fill(void *memory, size_t first, size_t end, uint64_t seed)
{
	uint64_t *word = memory, i;

	for (i = first / sizeof(*word); i < end / sizeof(*word); i++)
		word[i] = content_first(seed, i);
}

/* Weight of the word at @index of its page in the page's sum; odd. */
static uint64_t weight(uint64_t index)
{
	return (index * 2 + 1) * PATTERN_B;
}

/* What one access adds to its page's sum. */
static inline void add_access(uint64_t *sum, struct access a)
{
	if (a.store)
		sum[a.offset / NUMA_PAGE] +=
			a.value * weight(a.offset % NUMA_PAGE / sizeof(uint64_t));
}

/* Each page's weighted sum as the patterns must have left it. */
static uint64_t *expected_sums(const struct pattern_plan *plan, unsigned int threads)
{
	uint64_t *sum = calloc(plan->pages, sizeof(*sum)), page, phase, i, n;
	struct pattern p;
	unsigned int t;

	if (!sum)
		args_die("sums");
	for (page = 0; page < plan->pages; page++)
		for (i = 0; i < CONTENT_WORDS; i++)
			sum[page] += content_first(plan->seed, page * CONTENT_WORDS + i) *
				     weight(i);
	for (t = 0; t < threads; t++) {
		pattern_start(&p, plan, t);
		for (phase = 0; phase <= plan->moves; phase++)
			for (n = pattern_phase(&p, plan, phase); n; n--)
				add_access(sum, pattern_next(&p, plan->shape));
	}
	return sum;
}

bool content_verify(const void *memory, const struct pattern_plan *plan, unsigned int threads,
		    uint64_t *checksum)
{
	uint64_t *expected = expected_sums(plan, threads), wrong = 0, page, sum, i;
	const uint64_t *word = memory;

	*checksum = 0;
	for (page = 0; page < plan->pages; page++, word += CONTENT_WORDS) {
		sum = 0;
		for (i = 0; i < CONTENT_WORDS; i++)
			sum += word[i] * weight(i);
		*checksum = pattern_mix(*checksum + sum);
		if (sum != expected[page] && wrong++ < WRONG_NAMED)
			fprintf(stderr, "%s: wrong content in the page at %p (page %" PRIu64
				"): sum %016" PRIx64 ", expected %016" PRIx64 "\n",
				args_program, (const void *)word, page, sum, expected[page]);
	}
	free(expected);
	if (wrong)
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " pages are wrong\n", args_program,
			wrong, plan->pages);
	return !wrong;
}
