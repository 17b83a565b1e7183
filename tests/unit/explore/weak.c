// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Weak memory
 *
 * Each place in memory keeps all values that were written to it, in their order. Each thread has a
 * view: for each place, the oldest value that it may still read there. A read takes any value from
 * there on, and the explorer tries all of them. To have read or written a value moves the view on,
 * so that no thread sees a place go back in time.
 *
 * Views travel with values. A release attaches the thread's view to the value that it writes, and
 * an acquire that reads this value takes over the view. A full barrier exchanges views with all
 * full barriers before it. What a thread reads without acquire is kept until its next barrier, and
 * a write without release carries the view of the last barrier. A change of a value, as by
 * cmpxchg, always starts from the newest value and passes on the view of that.
 *
 * So loads are reordered with loads, stores with stores, and loads with stores before them, unless
 * barriers forbid it. This covers what x86 does, and most of what the kernel's memory model allows.
 * Left out are two things: that a store is done before a load which precedes it in its thread, and
 * that two stores of different threads to one place take effect in another order than they were
 * executed in. Dependencies between accesses order nothing here, except in that respect.
 *
 * Accesses that are not marked, as by READ_ONCE(), have to be ordered against each write of other
 * threads to the same place. If they are not, that is a data race, which fails. To find those, a
 * view also has the number of plain reads of each place that the thread knows of.
 */
#include <string.h>

#include "explore.h"
#include "weak.h"

/* Values of a place at most. */
#define VALUES	96

/*
 * struct view - which value of each place, and how many plain reads of it, come before what follows
 */
struct view {
	u8 value[WEAK_PLACES];
	u8 reads[WEAK_PLACES];
};

/* struct value - a value, the view that its writer attached, and whether it was a plain write */
struct value {
	u64 word;
	struct view view;
	bool plain;
};

static struct place {
	unsigned int nr;
	unsigned int reads;
	struct value values[VALUES];
} places[WEAK_PLACES];

/* What a thread knows now, will know after its next barrier, and knew at its last one. */
static struct thread {
	struct view now;
	struct view next;
	struct view last;
} threads[WEAK_THREADS];

static unsigned int nr_places;
/* What the full barriers have exchanged. */
static struct view fenced;

static void join(struct view *to, const struct view *from)
{
	u8 *a = (u8 *)to;
	const u8 *b = (const u8 *)from;
	size_t i;

	for (i = 0; i < sizeof(*to); i++)
		a[i] = b[i] > a[i] ? b[i] : a[i];
}

/**
 * weak_begin() - forget all, and begin with these values
 * @number: how many places
 * @words: what they hold
 */
void weak_begin(unsigned int number, const u64 *words)
{
	unsigned int i;

	nr_places = number;
	memset(threads, 0, sizeof(threads));
	memset(&fenced, 0, sizeof(fenced));
	for (i = 0; i < number; i++) {
		places[i].nr = 1;
		places[i].reads = 0;
		places[i].values[0] = (struct value){ .word = words[i] };
	}
}

/* Fails if there is a value that the thread does not know of, and that was written so. */
static void check_unseen(const struct thread *t, unsigned int place, bool plain_only)
{
	const struct place *p = &places[place];
	unsigned int i;

	for (i = t->now.value[place] + 1; i < p->nr; i++)
		if (p->values[i].plain || !plain_only)
			explore_expect(false, "no data race with a write");
}

static u64 take(struct thread *t, unsigned int place, unsigned int taken, enum weak_order order)
{
	struct place *p = &places[place];

	check_unseen(t, place, order != WEAK_PLAIN);
	t->now.value[place] = taken;
	join(&t->next, &t->now);
	join(&t->next, &p->values[taken].view);
	if (order == WEAK_ACQUIRE)
		join(&t->now, &p->values[taken].view);
	if (order == WEAK_PLAIN) {
		t->now.reads[place] = ++p->reads;
		t->next.reads[place] = p->reads;
	}
	return p->values[taken].word;
}

/**
 * weak_read() - read
 * @thread: who
 * @place: where
 * @order: WEAK_PLAIN, WEAK_RELAXED or WEAK_ACQUIRE
 *
 * Return: the value, one of those that are possible.
 */
u64 weak_read(unsigned int thread, unsigned int place, enum weak_order order)
{
	struct thread *t = &threads[thread];
	unsigned int newest = places[place].nr - 1;

	return take(t, place, newest - explore_choose(newest - t->now.value[place] + 1), order);
}

/**
 * weak_read_newest() - read the newest value, as a cmpxchg that fails does
 * @thread: who
 * @place: where
 */
u64 weak_read_newest(unsigned int thread, unsigned int place)
{
	return take(&threads[thread], place, places[place].nr - 1, WEAK_RELAXED);
}

static struct value *append(struct thread *t, unsigned int place, u64 word, bool plain)
{
	struct place *p = &places[place];

	check_unseen(t, place, !plain);
	explore_expect(t->now.reads[place] == p->reads, "no data race with a plain read");
	explore_limit(p->nr < VALUES, "values of a place");
	t->now.value[place] = p->nr;
	t->next.value[place] = p->nr;
	p->values[p->nr] = (struct value){ .word = word, .plain = plain };
	return &p->values[p->nr++];
}

/**
 * weak_write() - write
 * @thread: who
 * @place: where
 * @word: what
 * @order: WEAK_PLAIN, WEAK_RELAXED or WEAK_RELEASE
 */
void weak_write(unsigned int thread, unsigned int place, u64 word, enum weak_order order)
{
	struct thread *t = &threads[thread];
	struct value *value = append(t, place, word, order == WEAK_PLAIN);

	value->view = order == WEAK_RELEASE ? t->now : t->last;
	value->view.value[place] = t->now.value[place];
}

/**
 * weak_newest() - what a change of this value starts from
 * @place: where
 */
u64 weak_newest(unsigned int place)
{
	return places[place].values[places[place].nr - 1].word;
}

/**
 * weak_change() - write what was made of the newest value, in one step with reading it
 * @thread: who
 * @place: where
 * @word: what
 * @order: WEAK_RELAXED, WEAK_ACQUIRE or WEAK_FULL
 */
void weak_change(unsigned int thread, unsigned int place, u64 word, enum weak_order order)
{
	struct thread *t = &threads[thread];
	const struct value *before;
	struct value *value;

	if (order == WEAK_FULL)
		weak_barrier(thread);
	value = append(t, place, word, false);
	before = value - 1;
	join(&t->next, &before->view);
	if (order == WEAK_ACQUIRE)
		join(&t->now, &before->view);
	value->view = t->last;
	join(&value->view, &before->view);
	value->view.value[place] = t->now.value[place];
	if (order == WEAK_FULL)
		weak_barrier(thread);
}

/**
 * weak_barrier() - a full barrier
 * @thread: whose
 */
void weak_barrier(unsigned int thread)
{
	struct thread *t = &threads[thread];

	join(&fenced, &t->next);
	t->now = fenced;
	t->next = fenced;
	t->last = fenced;
}

/**
 * weak_mix() - add a word to a checksum
 * @sum: the checksum
 * @value: the word
 */
u64 weak_mix(u64 sum, u64 value)
{
	/* So that zeros count, too. */
	sum = (sum ^ value) * 0x9e3779b97f4a7c15ull + 1;
	return sum ^ sum >> 29;
}

static u64 mix_view(u64 sum, const struct view *view, const struct view *oldest)
{
	u64 word = 0;
	unsigned int i;

	/* What is older than the oldest that anybody may read makes no difference. */
	for (i = 0; i < nr_places; i++) {
		unsigned int value = view->value[i], reads = view->reads[i];

		value -= value < oldest->value[i] ? value : oldest->value[i];
		reads -= reads < oldest->reads[i] ? reads : oldest->reads[i];
		word = word << 16 | value << 8 | reads;
		if (i % 4 == 3) {
			sum = weak_mix(sum, word);
			word = 0;
		}
	}
	return weak_mix(sum, word);
}

/**
 * weak_state() - tell states of memory apart
 * @runs: by thread, whether it has not ended
 *
 * Return: a checksum. Two states in which all that may still be read is alike have the same.
 */
u64 weak_state(const bool *runs)
{
	struct view oldest;
	unsigned int i, j;
	u64 sum = 0;

	memset(&oldest, 0xff, sizeof(oldest));
	for (i = 0; i < WEAK_THREADS; i++) {
		const u8 *view = (const u8 *)&threads[i].now;

		for (j = 0; runs[i] && j < sizeof(oldest); j++) {
			u8 *least = (u8 *)&oldest + j;

			*least = view[j] < *least ? view[j] : *least;
		}
	}
	for (i = 0; i < nr_places; i++) {
		const struct place *p = &places[i];

		sum = weak_mix(sum, p->reads - oldest.reads[i]);
		for (j = oldest.value[i]; j < p->nr; j++) {
			sum = weak_mix(sum, p->values[j].word);
			sum = weak_mix(sum, p->values[j].plain);
			sum = mix_view(sum, &p->values[j].view, &oldest);
		}
		sum = weak_mix(sum, p->nr - oldest.value[i]);
	}
	for (i = 0; i < WEAK_THREADS; i++) {
		if (!runs[i])
			continue;
		sum = mix_view(sum, &threads[i].now, &oldest);
		sum = mix_view(sum, &threads[i].next, &oldest);
		sum = mix_view(sum, &threads[i].last, &oldest);
	}
	return mix_view(sum, &fenced, &oldest);
}
