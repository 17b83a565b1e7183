// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences of samples through a ring. A producer may be interrupted by others, or by the
 * consumer, between the steps of putting a sample in. Each sample that the ring has taken comes out
 * once, and nothing else does.
 */
#include <linux/atomic.h>

#include "fuzz.h"

static void interrupt(void);

/* As the stand-in has it, but something else may happen before. */
#undef smp_store_release
#define smp_store_release(p, v)	({	/* its pairs are in ring.h */	\
	interrupt();							\
	__atomic_store_n(p, v, __ATOMIC_RELEASE);			\
})

#include "sources/ring.h"

/* Interrupts within interrupts. */
#define DEPTH_MAX	8

static struct ring ring;
static struct input *input;
static unsigned int depth;
static bool popping;

/* By number of a sample: 1 is in the ring, or about to be. */
static u8 inside[1 << 16];
static unsigned int nr_samples;

static void push(void)
{
	const struct sample sample = { .pfn = nr_samples, .when = ~(u64)nr_samples };
	bool taken;

	if (nr_samples == ARRAY_SIZE(inside))
		return;
	inside[nr_samples++] = 1;
	taken = ring_push(&ring, &sample);
	if (!taken)
		inside[sample.pfn] = 0;
	assert(taken || ring_len(&ring) == RING_SLOTS);
}

static bool pop(void)
{
	struct sample sample;
	bool found;

	popping = true;
	found = ring_pop(&ring, &sample);
	popping = false;
	if (!found)
		return false;
	assert(sample.pfn < nr_samples && sample.when == ~(u64)sample.pfn);
	assert(inside[sample.pfn] == 1);
	inside[sample.pfn] = 0;
	return true;
}

/* A producer interrupts whoever is at the ring, or the consumer comes, of which there is one. */
static void interrupt(void)
{
	u8 what = depth < DEPTH_MAX ? input_u8(input) : 0;

	depth++;
	if (what >= 0xe0)
		push();
	else if (what >= 0xc0 && !popping)
		pop();
	depth--;
}

/* A ring that so many samples have gone through. */
static void start(u32 gone)
{
	u32 i;

	ring = (struct ring){ .head = gone, .tail = gone };
	for (i = gone - RING_SLOTS; i != gone; i++)
		ring.slots[i % RING_SLOTS].filled = i + 1;
	memset(inside, 0, nr_samples);
	nr_samples = 0;
}

void fuzz_one(struct input *in)
{
	unsigned int i, nr;

	input = in;
	start(input_u32(in));
	while (in->left) {
		bool pushes = input_u8(in) & 1;

		for (nr = 1 + input_upto(in, RING_SLOTS); nr; nr--) {
			if (pushes)
				push();
			else if (!pop())
				assert(!ring_len(&ring));
		}
		assert(ring_len(&ring) <= RING_SLOTS);
	}
	while (pop())
		;
	assert(!ring_len(&ring));
	for (i = 0; i < nr_samples; i++)
		assert(!inside[i]);
}
