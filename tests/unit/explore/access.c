// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Accesses of the explored code
 *
 * The compiler calls these functions before each access. Only regions that a scenario has declared
 * are looked at: all else belongs to one thread, or does not matter.
 *
 * A region is divided into cells: the smallest pieces that the code accesses at once. A cell that
 * several threads use, and that one of them writes, is a place of weak.c, and each access to it is
 * a step. Which cells are shared, and how large they are, is learned. When an access shows that
 * more is shared than was known, the search begins again.
 *
 * The compiler's own instruction reads and writes real memory. So before a read the value that was
 * chosen is put there. What was written is fetched from there when the thread comes to its next
 * step; nobody else runs until then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "explore.h"

#define WORD		sizeof(u64)
#define NO_PLACE	0xff
#define REGIONS		4
/* Words of memory that a run may change. */
#define CHANGED		4096

/*
 * struct cell - what is known of the cell that begins at a byte
 * @readers: threads that read it, one bit each
 * @writers: threads that write it
 * @place: its number, or NO_PLACE while it is not shared
 */
struct cell {
	u8 readers;
	u8 writers;
	u8 place;
};

/*
 * struct word - eight bytes of a region
 * @size: of its cells; 0 while nobody has used it
 * @saved: this run may have changed it
 * @original: what it was before the run
 */
struct word {
	struct cell cells[WORD];
	u8 size;
	bool saved;
	u64 original;
};

static struct region {
	const char *name;
	uintptr_t start;
	size_t size;
	struct word *words;
} regions[REGIONS];

/* Where the places are. */
static struct {
	uintptr_t at;
	u8 size;
} places[WEAK_PLACES];

static unsigned int nr_places;

static uintptr_t changed[CHANGED];
static unsigned int nr_changed;

/* A write of the thread that runs, which the compiler does after the call. */
static struct {
	uintptr_t at;
	size_t size;
	enum weak_order order;
} pending;

/**
 * access_share() - declare memory that threads share
 * @name: for reports
 * @start: where it begins; aligned to 8 bytes
 * @size: how large it is
 */
void access_share(const char *name, void *start, size_t size)
{
	struct region *r = regions;

	while (r < regions + REGIONS && r->words)
		r++;
	explore_limit(r < regions + REGIONS && (uintptr_t)start % WORD == 0, "regions");
	*r = (struct region){ .name = name, .start = (uintptr_t)start, .size = size };
	r->words = calloc(size / WORD + 1, sizeof(*r->words));
	explore_limit(r->words, "memory");
}

/** access_unshare() - none of the declared memory is there any more */
void access_unshare(void)
{
	struct region *r;

	for (r = regions; r < regions + REGIONS; r++)
		free(r->words);
	memset(regions, 0, sizeof(regions));
}

static struct region *region_of(uintptr_t at)
{
	struct region *r;

	for (r = regions; r < regions + REGIONS; r++)
		if (at - r->start < r->size)
			return r;
	return NULL;
}

static struct word *word_of(uintptr_t at)
{
	struct region *r = region_of(at);

	return r ? &r->words[(at - r->start) / WORD] : NULL;
}

static u64 load(uintptr_t at, size_t size)
{
	u64 value = 0;

	memcpy(&value, (void *)at, size);
	return value;
}

static void save(uintptr_t at)
{
	struct word *word = word_of(at);

	if (!word || word->saved)
		return;
	explore_limit(nr_changed < CHANGED, "words that are written");
	at -= at % WORD;
	word->saved = true;
	word->original = load(at, WORD);
	changed[nr_changed++] = at;
}

static void trace(const char *what, uintptr_t at, size_t size, u64 value)
{
	const char *thread = explore_traced();
	const struct region *r = region_of(at);

	if (thread)
		printf("  %-12s %-10s %s+0x%lx, %zu bytes: 0x%llx\n", thread, what, r->name,
		       at - r->start, size, (unsigned long long)value);
}

/* The cells of an access. */
#define for_each_cell(cell, at, begin, bytes)						\
	for ((at) = (begin), (cell) = cell_at(at); (at) < (begin) + (bytes);		\
	     (at) += word_of(at)->size, (cell) = cell_at(at))

static struct cell *cell_at(uintptr_t at)
{
	struct word *word = word_of(at);

	return word ? &word->cells[at % WORD] : NULL;
}

static void clear_cells(struct word *word)
{
	unsigned int i;

	memset(word->cells, 0, sizeof(word->cells));
	for (i = 0; i < WORD; i++)
		word->cells[i].place = NO_PLACE;
}

/* Make the cells of a word no larger than an access to it. */
static void fit_cells(struct word *word, size_t size)
{
	bool known = word->size;

	if (known && word->size <= size)
		return;
	clear_cells(word);
	word->size = size;
	if (!known)
		return;
	while (nr_places)
		clear_cells(word_of(places[--nr_places].at));
	explore_again();
}

static bool is_shared(const struct cell *cell)
{
	unsigned int users = cell->readers | cell->writers;

	return cell->writers && users & (users - 1);
}

/* Note who uses these cells. Returns true if some of them are shared. */
static bool learn(uintptr_t begin, size_t size, bool writes)
{
	bool shared = false, again = false;
	struct cell *cell;
	uintptr_t at;

	for (at = begin; at < begin + size; at += WORD - at % WORD)
		fit_cells(word_of(at), size < WORD ? size : WORD);
	for_each_cell(cell, at, begin, size) {
		*(writes ? &cell->writers : &cell->readers) |= 1u << explore_self();
		if (is_shared(cell) && cell->place == NO_PLACE) {
			explore_limit(nr_places < WEAK_PLACES, "places");
			places[nr_places].at = at;
			places[nr_places].size = word_of(at)->size;
			cell->place = nr_places++;
			again = true;
		}
		shared |= cell->place != NO_PLACE;
	}
	if (again)
		explore_again();
	return shared;
}

/**
 * access_finish() - take note of what the thread that runs has written
 */
void access_finish(void)
{
	struct cell *cell;
	uintptr_t at;

	for_each_cell(cell, at, pending.at, pending.size) {
		u64 value = load(at, word_of(at)->size);

		if (cell->place == NO_PLACE)
			continue;
		trace("write", at, word_of(at)->size, value);
		weak_write(explore_self(), cell->place, value, pending.order);
	}
	pending.size = 0;
}

/* Is this a cell that is known to be used so, and not to be shared? Most are. */
static bool is_private(const struct word *word, uintptr_t at, size_t size, bool writes)
{
	const struct cell *cell = &word->cells[at % WORD];
	unsigned int users = writes ? cell->writers : cell->readers;

	return word->size == size && cell->place == NO_PLACE && users >> explore_self() & 1 &&
	       (word->saved || !writes);
}

/* Stop before an access. Returns false if it is done directly, as nobody else is concerned. */
static bool step(uintptr_t at, size_t size, bool writes, const unsigned int *lock)
{
	const struct word *word = word_of(at);

	if (!word || (explore_self() >= 0 && is_private(word, at, size, writes)))
		return false;
	if (explore_self() < 0 || !learn(at, size, writes)) {
		if (writes)
			for (; size--; at++)
				save(at);
		return false;
	}
	access_finish();
	explore_step(lock);
	return true;
}

/* The place that a cell is as a whole. */
static unsigned int place_of(uintptr_t at, size_t size)
{
	explore_limit(word_of(at)->size == size, "a change of a place that is also used in parts");
	return cell_at(at)->place;
}

/**
 * access_read() - the thread is about to read
 * @p: where
 * @size: how much
 * @order: of the access
 */
void access_read(const volatile void *p, size_t size, enum weak_order order)
{
	uintptr_t begin = (uintptr_t)p, at;
	struct cell *cell;

	/* Between two shared structures the compiler copies after both calls. */
	explore_limit(!pending.size || size <= WORD || !region_of(begin), "copies");
	if (!step(begin, size, false, NULL))
		return;
	for_each_cell(cell, at, begin, size) {
		u64 value;

		if (cell->place == NO_PLACE)
			continue;
		value = weak_read(explore_self(), cell->place, order);
		memcpy((void *)at, &value, word_of(at)->size);
		explore_remember(value);
		trace("read", at, word_of(at)->size, value);
	}
}

/**
 * access_write() - the thread is about to write
 * @p: where
 * @size: how much
 * @order: of the access
 */
void access_write(volatile void *p, size_t size, enum weak_order order)
{
	if (!step((uintptr_t)p, size, true, NULL))
		return;
	pending.at = (uintptr_t)p;
	pending.size = size;
	pending.order = order;
}

/**
 * access_store() - write
 * @p: where
 * @size: how much
 * @value: what
 * @order: of the access
 */
void access_store(volatile void *p, size_t size, u64 value, enum weak_order order)
{
	uintptr_t at = (uintptr_t)p;

	if (!step(at, size, true, NULL)) {
		memcpy((void *)at, &value, size);
		return;
	}
	trace("store", at, size, value);
	weak_write(explore_self(), place_of(at, size), value, order);
}

static u64 changed_value(enum access_change change, u64 old, u64 operand)
{
	switch (change) {
	case ACCESS_ADD:
		return old + operand;
	case ACCESS_AND:
		return old & operand;
	case ACCESS_OR:
		return old | operand;
	case ACCESS_SET:
		break;
	}
	return operand;
}

/**
 * access_change() - read and write in one step
 * @p: where
 * @size: how much
 * @change: what to make of it
 * @operand: together with this
 * @order: of the access
 *
 * Return: the value before.
 */
u64 access_change(volatile void *p, size_t size, enum access_change change, u64 operand,
		  enum weak_order order)
{
	uintptr_t at = (uintptr_t)p;
	u64 old, new;

	if (!step(at, size, true, NULL)) {
		old = load(at, size);
		new = changed_value(change, old, operand);
		memcpy((void *)at, &new, size);
		return old;
	}
	old = weak_newest(place_of(at, size));
	new = changed_value(change, old, operand);
	/* What is above is cut off, as by the compiler. */
	new &= ~0ull >> 8 * (WORD - size);
	trace("change", at, size, new);
	weak_change(explore_self(), place_of(at, size), new, order);
	explore_remember(old);
	return old;
}

/**
 * access_compare() - write if the old value is what it is thought to be
 * @p: where
 * @size: how much
 * @old: what it is thought to be; what it was, when this returns
 * @new: what to write
 *
 * Return: whether it was written.
 */
bool access_compare(volatile void *p, size_t size, u64 *old, u64 new)
{
	uintptr_t at = (uintptr_t)p;
	bool shared = step(at, size, true, NULL);
	u64 found = shared ? weak_newest(place_of(at, size)) : load(at, size);
	bool equal = found == *old;

	*old = found;
	if (!shared) {
		if (equal)
			memcpy((void *)at, &new, size);
		return equal;
	}
	trace(equal ? "cmpxchg" : "no cmpxchg", at, size, equal ? new : found);
	if (equal)
		weak_change(explore_self(), place_of(at, size), new, WEAK_FULL);
	else
		weak_read_newest(explore_self(), place_of(at, size));
	explore_remember(found);
	return equal;
}

/** access_barrier() - a full barrier of the thread */
void access_barrier(void)
{
	if (explore_self() < 0)
		return;
	access_finish();
	explore_step(NULL);
	weak_barrier(explore_self());
}

/**
 * access_lock() - take a lock; it is given back by a release that writes 0
 * @lock: the lock
 */
void access_lock(unsigned int *lock)
{
	if (!step((uintptr_t)lock, sizeof(*lock), true, lock)) {
		*lock = 1;
		return;
	}
	trace("lock", (uintptr_t)lock, sizeof(*lock), 1);
	weak_change(explore_self(), place_of((uintptr_t)lock, sizeof(*lock)), 1, WEAK_ACQUIRE);
}

/** access_forget() - nothing is known of who shares what */
void access_forget(void)
{
	struct region *r;

	for (r = regions; r < regions + REGIONS && r->words; r++)
		memset(r->words, 0, (r->size / WORD + 1) * sizeof(*r->words));
	nr_places = 0;
}

/** access_begin() - threads begin to run, with memory as it is now */
void access_begin(void)
{
	u64 values[WEAK_PLACES];
	unsigned int i;

	for (i = 0; i < nr_places; i++) {
		save(places[i].at);
		values[i] = load(places[i].at, places[i].size);
	}
	weak_begin(nr_places, values);
}

/** access_settle() - all threads have ended: memory is as they have left it */
void access_settle(void)
{
	unsigned int i;

	for (i = 0; i < nr_places; i++) {
		u64 value = weak_newest(i);

		memcpy((void *)places[i].at, &value, places[i].size);
	}
}

/** access_undo() - make memory as it was before the run */
void access_undo(void)
{
	pending.size = 0;
	while (nr_changed) {
		uintptr_t at = changed[--nr_changed];
		struct word *word = word_of(at);

		memcpy((void *)at, &word->original, WORD);
		word->saved = false;
	}
}

/**
 * access_newest() - what a change would find
 * @at: where; a place
 */
u64 access_newest(const void *at)
{
	return weak_newest(cell_at((uintptr_t)at)->place);
}
