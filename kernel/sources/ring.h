/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: A ring of samples
 *
 * It is bounded, and each CPU has one. Producers take places by compare-and-exchange and fill them
 * afterwards, so that one producer may interrupt another at any point, as an NMI does. One
 * consumer, on any CPU, takes samples out in the order of their places. A full ring takes no more
 * samples and keeps what is in it.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_RING_H
#define PGHOT_SOURCES_RING_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* It is a power of two. At 10,000 samples a second it is what comes in 50 ms. */
#define RING_SLOTS	512u

/**
 * struct sample - an access that a source saw
 * @pfn: the page frame, any number
 * @when: as for pghot_record_access()
 */
struct sample {
	unsigned long pfn;
	u64 when;
};

/**
 * struct ring_slot - a place for a sample
 * @filled: 1 more than what the ring's @head was before the place was last taken, once it is
 *	filled
 * @sample: the sample
 */
struct ring_slot {
	u32 filled;
	struct sample sample;
};

/**
 * struct ring - samples of one CPU; all zero is an empty ring
 * @head: how many places were taken, modulo 2^32
 * @tail: how many samples were taken out, modulo 2^32
 * @slots: the places
 */
struct ring {
	u32 head;
	u32 tail;
	struct ring_slot slots[RING_SLOTS];
};

/**
 * ring_len() - how many samples are in a ring, or about to be
 * @ring: the ring
 *
 * Any context. Exact if nobody else is at the ring.
 */
static inline u32 ring_len(const struct ring *ring)
{
	u32 tail = READ_ONCE(ring->tail);

	return READ_ONCE(ring->head) - tail;
}

/**
 * ring_push() - put a sample into a ring
 * @ring: the ring
 * @sample: the sample
 *
 * Any context, NMI included.
 *
 * Return: false if the ring is full.
 */
static inline bool ring_push(struct ring *ring, const struct sample *sample)
{
	u32 place = READ_ONCE(ring->head);
	struct ring_slot *slot;

	do {
		/*
		 * Pairs with ring_pop(): the sample that was here has been read. The difference is
		 * signed, because the tail may be ahead of a head that was read before an
		 * interrupt.
		 */
		if ((s32)(place - smp_load_acquire(&ring->tail)) >= (s32)RING_SLOTS)
			return false;
	} while (!try_cmpxchg(&ring->head, &place, place + 1));

	slot = &ring->slots[place % RING_SLOTS];
	slot->sample = *sample;
	/* Pairs with ring_pop(): the sample comes first. */
	smp_store_release(&slot->filled, place + 1);
	return true;
}

/**
 * ring_pop() - take the oldest sample out of a ring
 * @ring: the ring
 * @sample: where to
 *
 * Any context; one caller at a time.
 *
 * Return: false if there is none, or if its place is not filled yet: then there is one
 * when the producer that took the place is done.
 */
static inline bool ring_pop(struct ring *ring, struct sample *sample)
{
	struct ring_slot *slot = &ring->slots[ring->tail % RING_SLOTS];

	/* Pairs with ring_push(). */
	if (smp_load_acquire(&slot->filled) != ring->tail + 1)
		return false;
	*sample = slot->sample;
	/* Pairs with ring_push(): from here on the place may be filled again. */
	smp_store_release(&ring->tail, ring->tail + 1);
	return true;
}

#endif /* PGHOT_SOURCES_RING_H */
