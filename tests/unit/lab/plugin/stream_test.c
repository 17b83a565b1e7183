// SPDX-License-Identifier: GPL-2.0
/* stream: sequences are recognised, alone and side by side; random lines never are. */
#include "stream.h"

#include <stdlib.h>

#include "check.h"

static void one_sequence(void)
{
	struct stream_table t;
	uint64_t line, first = 1000 * STREAM_PAGE_LINES;

	stream_init(&t);
	for (line = first; line < first + 10 * STREAM_PAGE_LINES; line++) {
		if (line <= first + STREAM_TRAIN)
			CHECK(!stream_miss(&t, line));
		else
			CHECK(stream_miss(&t, line) == (line % STREAM_PAGE_LINES != 0));
	}
}

/* Up to all entries of sequences in step, and one more, which is too many. */
static void many_sequences(unsigned int nr)
{
	struct stream_table t;
	unsigned int s, n, known = 0;

	stream_init(&t);
	for (n = 0; n < 60; n++)
		for (s = 0; s < nr; s++)
			known += stream_miss(&t, (s * 977 + 1) * STREAM_PAGE_LINES + n);
	if (nr <= STREAM_ENTRIES)
		CHECK(known == nr * (60 - STREAM_TRAIN - 1));
	else
		CHECK(known < nr * 60);
}

/* A sequence stays known beside random misses that come no more often than it. */
static void beside_random(void)
{
	struct stream_table t;
	unsigned int known = 0, n;

	stream_init(&t);
	for (n = 0; n < 6000; n++) {
		known += stream_miss(&t, UINT64_C(1) << 40 | n);
		stream_miss(&t, (uint64_t)rand() << 20 | rand());
	}
	CHECK(known > 5800);
}

static void only_random(void)
{
	struct stream_table t;
	unsigned int known = 0, n;

	stream_init(&t);
	for (n = 0; n < 1000000; n++)
		known += stream_miss(&t, rand() % (64 << 14));
	CHECK(!known);
}

static void not_ascending(void)
{
	struct stream_table t;
	unsigned int n;

	stream_init(&t);
	for (n = 0; n < 10000; n++)
		CHECK(!stream_miss(&t, 1000000 - n));
	for (n = 0; n < 10000; n++)
		CHECK(!stream_miss(&t, 2000000 + n * 2));
	for (n = 0; n < 100; n++)
		CHECK(!stream_miss(&t, 77));
}

int main(void)
{
	unsigned int nr;

	srand(3);
	one_sequence();
	for (nr = 1; nr <= STREAM_ENTRIES + 1; nr++)
		many_sequences(nr);
	beside_random();
	only_random();
	not_ascending();
	return check_report();
}
