// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of samples (kernel/sources/ring.h): producers beside one another and beside the
 * consumer, while the ring is almost full or almost empty. What one CPU sees when an interrupt
 * comes is among that.
 */
#include <linux/array_size.h>

#include "access.h"
#include "explore.h"
#include "sources/ring.h"

/* How much is in the ring already: one sample less than it holds. */
#define FILL	(RING_SLOTS - 1)
/* Pops by the consumer, and the largest number of samples. */
#define POPS	2u
#define SAMPLES	(FILL + 4)

static struct ring ring;

/* By number of the sample: whether it went in, and how often it came out. */
static bool pushed[SAMPLES];
static unsigned int popped[SAMPLES];
static unsigned long last;

/* So many of the first samples have come out already. */
static void begin(unsigned int out)
{
	unsigned int i;

	for (i = 0; i < SAMPLES; i++) {
		pushed[i] = i < FILL;
		popped[i] = i < out;
	}
	last = out;
	ring.tail = out;
}

static void almost_full(void)
{
	begin(0);
}

static void almost_empty(void)
{
	begin(FILL - 1);
}

static void push(unsigned long pfn)
{
	const struct sample sample = { .pfn = pfn, .when = ~pfn };

	pushed[pfn] = ring_push(&ring, &sample);
}

static bool pop(void)
{
	struct sample sample;

	if (!ring_pop(&ring, &sample))
		return false;
	EXPECT(sample.when == ~(u64)sample.pfn);
	EXPECT(sample.pfn < SAMPLES && !popped[sample.pfn]++);
	/* What was there first comes out first, and in its order. */
	EXPECT(sample.pfn >= FILL || sample.pfn == last);
	last++;
	return true;
}

static void one_producer(void)
{
	push(FILL);
	push(FILL + 1);
}

static void one_sample(void)
{
	push(FILL);
}

static void other_producer(void)
{
	push(FILL + 2);
}

static void third_producer(void)
{
	push(FILL + 3);
}

static void consumer(void)
{
	unsigned int i;

	for (i = 0; i < POPS; i++)
		pop();
}

static void end(void)
{
	unsigned int i, in = 0;

	for (i = FILL; i < SAMPLES; i++)
		in += pushed[i];
	/* There was a free place, and there was one more for each sample that came out. */
	EXPECT(in >= 1 && FILL + in - last <= RING_SLOTS);
	EXPECT(ring_len(&ring) == FILL + in - last);
	while (pop())
		;
	for (i = 0; i < SAMPLES; i++)
		EXPECT(popped[i] == pushed[i]);
}

static const struct scenario scenarios[] = {
	{
		.name = "a producer, and a place",
		.begin = almost_full,
		.threads = { { "producer", one_producer }, { "consumer", consumer } },
		.end = end,
	}, {
		.name = "a producer, and a sample",
		.begin = almost_empty,
		.threads = { { "producer", one_producer }, { "consumer", consumer } },
		.end = end,
	}, {
		.name = "two producers, and a place",
		.begin = almost_full,
		.threads = { { "producer", one_producer }, { "consumer", consumer },
			     { "other", other_producer } },
		.end = end,
	}, {
		.name = "two producers, and a sample",
		.begin = almost_empty,
		.threads = { { "producer", one_producer }, { "consumer", consumer },
			     { "other", other_producer } },
		.end = end,
	}, {
		.name = "three producers, and a place",
		.deep = true,
		.begin = almost_full,
		.threads = { { "producer", one_sample }, { "consumer", consumer },
			     { "other", other_producer }, { "third", third_producer } },
		.end = end,
	},
};

int main(int argc, char **argv)
{
	bool deep = explore_deep(argc, argv);
	unsigned int i;

	for (i = 0; i < FILL; i++)
		ring_push(&ring, &(struct sample){ .pfn = i, .when = ~(u64)i });
	access_share("ring", &ring, sizeof(ring));
	explore_all(scenarios, ARRAY_SIZE(scenarios), "ring", deep);
	return explore_report();
}
