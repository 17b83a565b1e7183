// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of samples: by hand; against a model, with producers that interrupt each other
 * before and after they have taken their place; and with a consumer in another thread.
 */
#include <pthread.h>
#include <string.h>

#include <linux/atomic.h>
#include <linux/minmax.h>

#include "check.h"
#include "random.h"

/* What may interrupt a producer, at both ends of the moment at which it takes its place. */
static void interrupt(void);

#undef try_cmpxchg
#define try_cmpxchg(ptr, old, new) ({					\
	bool done;							\
									\
	interrupt();							\
	done = __atomic_compare_exchange_n(ptr, old, new, false,	\
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	if (done)							\
		took_place(*(old));					\
	interrupt();							\
	done;								\
})

static void took_place(uint32_t place);

#include "sources/ring.h"

static struct ring ring;
static struct random r = { 1 };

/* The model: what was put at each place, and whether that is done, by place modulo a lot. */
#define PLACES	4096u
static struct {
	unsigned long pfn;
	bool filled;
} model[PLACES];
static uint32_t model_head, model_tail;
static unsigned long next_pfn;
/* Of the producer that runs: the innermost of those that interrupt each other. */
static unsigned long pushing;
static unsigned int depth, deepest;
static uint32_t place_taken;
static bool interrupting;

static void took_place(uint32_t place)
{
	place_taken = place;
	if (!interrupting)
		return;
	CHECK(place == model_head);
	model[place % PLACES].pfn = pushing;
	model[place % PLACES].filled = false;
	model_head++;
}

static void push(void)
{
	unsigned long pfn = next_pfn++;
	struct sample sample = { .pfn = pfn, .when = ~(u64)pfn };
	bool full, pushed;
	uint32_t head;

	depth++;
	deepest = max(deepest, depth);
	pushing = pfn;
	full = model_head - model_tail >= RING_SLOTS;
	head = model_head;
	pushed = ring_push(&ring, &sample);
	/* Those that came between may have taken the last places. */
	if (pushed)
		model[place_taken % PLACES].filled = true;
	else
		CHECK(model_head - model_tail == RING_SLOTS);
	if (full)
		CHECK(!pushed && model_head == head);
	depth--;
}

static void pop(void)
{
	bool there = model_tail != model_head && model[model_tail % PLACES].filled;
	struct sample sample;
	bool popped = ring_pop(&ring, &sample);

	CHECK(popped == there);
	if (!popped)
		return;
	CHECK(sample.pfn == model[model_tail % PLACES].pfn && sample.when == ~(u64)sample.pfn);
	model_tail++;
}

/* Another producer, or the consumer on another CPU. */
static void interrupt(void)
{
	unsigned long pfn = pushing;
	uint32_t place;

	if (!interrupting || depth > 5)
		return;
	/* place_taken is the interrupted producer's, if it has one already. */
	place = place_taken;
	while (random_once_in(&r, 3)) {
		if (random_once_in(&r, 2))
			push();
		else
			pop();
	}
	place_taken = place;
	pushing = pfn;
}

static void test_by_hand(void)
{
	struct sample sample = { 0 };
	unsigned long i;

	memset(&ring, 0, sizeof(ring));
	CHECK(!ring_pop(&ring, &sample));
	CHECK(ring_len(&ring) == 0);
	for (i = 0; i < RING_SLOTS; i++) {
		sample = (struct sample){ .pfn = i, .when = i * 10 };
		CHECK(ring_push(&ring, &sample));
	}
	CHECK(ring_len(&ring) == RING_SLOTS);
	/* Full: nothing is taken, nothing is overwritten. */
	sample.pfn = 1234567;
	CHECK(!ring_push(&ring, &sample) && !ring_push(&ring, &sample));
	CHECK(ring_pop(&ring, &sample) && sample.pfn == 0);
	sample.pfn = RING_SLOTS;
	CHECK(ring_push(&ring, &sample) && !ring_push(&ring, &sample));
	for (i = 1; i <= RING_SLOTS; i++)
		CHECK(ring_pop(&ring, &sample) && sample.pfn == i);
	CHECK(!ring_pop(&ring, &sample));
	CHECK(ring_len(&ring) == 0);
}

/* From places where the counts wrap, too. */
static void test_against_model(uint32_t first)
{
	unsigned int i;

	memset(&ring, 0, sizeof(ring));
	for (i = 0; i < RING_SLOTS; i++)
		ring.slots[(first - 1 - i) % RING_SLOTS].filled = first - i;
	ring.head = first;
	ring.tail = first;
	model_head = first;
	model_tail = first;
	interrupting = true;
	for (i = 0; i < 200000; i++) {
		/* Mostly full for a while, and mostly empty for another. */
		if (random_below(&r, 10) < (i / 20000 % 2 ? 6 : 2))
			push();
		else
			pop();
		CHECK(ring_len(&ring) == model_head - model_tail);
	}
	interrupting = false;
	CHECK(deepest > 4);
}

#define TOTAL	1000000ul

static unsigned long lost;
static bool produced;

static void *produce(void *unused)
{
	struct sample sample;
	unsigned long i;

	(void)unused;
	for (i = 1; i <= TOTAL; i++) {
		sample = (struct sample){ .pfn = i, .when = ~(u64)i };
		lost += !ring_push(&ring, &sample);
	}
	__atomic_store_n(&produced, true, __ATOMIC_RELEASE);
	return NULL;
}

static void test_with_threads(void)
{
	unsigned long got = 0, last = 0;
	struct sample sample;
	pthread_t thread;
	bool end;

	memset(&ring, 0, sizeof(ring));
	CHECK(!pthread_create(&thread, NULL, produce, NULL));
	do {
		end = __atomic_load_n(&produced, __ATOMIC_ACQUIRE);
		while (ring_pop(&ring, &sample)) {
			CHECK(sample.pfn > last && sample.when == ~(u64)sample.pfn);
			last = sample.pfn;
			got++;
		}
	} while (!end);
	CHECK(!pthread_join(thread, NULL));
	CHECK(got + lost == TOTAL && got >= RING_SLOTS);
}

int main(void)
{
	test_by_hand();
	test_against_model(0);
	test_against_model((uint32_t)-100);
	test_against_model((uint32_t)-100000);
	test_with_threads();
	return check_report();
}
