/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set-associative cache of 64-byte lines with true LRU and dirty bits. Only
 * tags are kept; a set is an array in order of use, most recent first.
 */
#ifndef TIERMEM_CACHE_H
#define TIERMEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_LINE_SHIFT	6
#define CACHE_LINE		(1u << CACHE_LINE_SHIFT)

/* No line: an empty way, or no victim. */
#define CACHE_NONE		UINT64_MAX

struct cache {
	uint64_t *way;		/* line << 1 | dirty, or CACHE_NONE */
	uint64_t set_mask;
	unsigned int ways;
};

/* True if @bytes and @ways make a power-of-two number of sets, at least one. */
bool cache_geometry_ok(uint64_t bytes, uint64_t ways);

/* Allocate an empty cache; the geometry must be right. False if out of memory. */
bool cache_init(struct cache *c, uint64_t bytes, unsigned int ways);

void cache_free(struct cache *c);

/* Forget everything; dirty lines are not reported. */
void cache_flush(struct cache *c);

static inline uint64_t *cache_set(const struct cache *c, uint64_t line)
{
	return c->way + (line & c->set_mask) * c->ways;
}

static inline uint64_t cache_line(uint64_t way)
{
	return way >> 1;
}

static inline bool cache_dirty(uint64_t way)
{
	return way != CACHE_NONE && (way & 1);
}

/*
 * Access @line; @dirty marks it dirty. On a hit returns true. On a miss the
 * line is inserted, and @victim is the way that had to leave (its line and dirty
 * bit), or CACHE_NONE.
 */
static inline bool cache_access(struct cache *c, uint64_t line, bool dirty, uint64_t *victim)
{
	uint64_t *set = cache_set(c, line), key = line << 1, carry = set[0], next;
	unsigned int w;

	if ((carry | 1) == (key | 1)) {
		set[0] |= dirty;
		return true;
	}
	/* Shift the others back until the line, or the end, is found. */
	for (w = 1; w < c->ways; w++) {
		next = set[w];
		set[w] = carry;
		if ((next | 1) == (key | 1)) {
			set[0] = next | dirty;
			return true;
		}
		carry = next;
	}
	set[0] = key | dirty;
	*victim = carry;
	return false;
}

/* Access @line if it is present; its dirty bit stays. A miss changes nothing. */
static inline bool cache_find(struct cache *c, uint64_t line)
{
	uint64_t *set = cache_set(c, line), key = line << 1, carry, found;
	unsigned int w, i;

	for (w = 0; w < c->ways && (set[w] | 1) != (key | 1); w++)
		;
	if (w == c->ways)
		return false;
	found = set[w];
	for (i = 0, carry = found; i <= w; i++) {
		found = set[i];
		set[i] = carry;
		carry = found;
	}
	return true;
}

/* Mark @line dirty if it is present, without touching its age. */
static inline bool cache_mark_dirty(struct cache *c, uint64_t line)
{
	uint64_t *set = cache_set(c, line);
	unsigned int w;

	for (w = 0; w < c->ways; w++) {
		if ((set[w] | 1) == (line << 1 | 1)) {
			set[w] |= 1;
			return true;
		}
	}
	return false;
}

#endif
