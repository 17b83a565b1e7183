// SPDX-License-Identifier: GPL-2.0
#include "heat.h"

#include <stdlib.h>
#include <string.h>

/* No piece is of two nodes. */
static unsigned int piece_shift(const struct nodemap *map)
{
	uint64_t begin = 0, largest = 0, ends = 0;
	unsigned int shift = 0;
	int n;

	for (n = 0; n < map->nr; n++) {
		if (map->end[n] - begin > largest)
			largest = map->end[n] - begin;
		begin = map->end[n];
		ends |= begin;
	}
	while (largest >> shift > HEAT_PIECES && !(ends >> shift & 1))
		shift++;
	return shift;
}

bool heat_init(struct heat *h, const struct nodemap *map)
{
	h->piece_shift = piece_shift(map);
	h->nr_pieces = map->total >> h->piece_shift;
	h->uses = malloc(HEAT_COLUMNS * h->nr_pieces * sizeof(*h->uses));
	if (!h->uses)
		return false;
	heat_begin(h, 1, 0);
	return true;
}

/* Columns from @first on are empty. */
static void clear_from(struct heat *h, size_t first)
{
	memset(h->uses + first * h->nr_pieces, 0,
	       (HEAT_COLUMNS - first) * h->nr_pieces * sizeof(*h->uses));
}

void heat_begin(struct heat *h, int64_t interval_ns, int64_t t0_ns)
{
	clear_from(h, 0);
	h->now = h->uses;
	h->nr_columns = 1;
	h->interval_ns = interval_ns;
	h->t0_ns = t0_ns;
}

static void halve(struct heat *h)
{
	uint64_t *two = h->uses;
	size_t column, p;

	for (column = 0; column < HEAT_COLUMNS / 2; column++) {
		for (p = 0; p < h->nr_pieces; p++)
			h->uses[column * h->nr_pieces + p] = two[p] + two[h->nr_pieces + p];
		two += 2 * h->nr_pieces;
	}
	clear_from(h, HEAT_COLUMNS / 2);
	h->interval_ns *= 2;
}

void heat_advance(struct heat *h, int64_t now_ns)
{
	while ((now_ns - h->t0_ns) / h->interval_ns >= HEAT_COLUMNS)
		halve(h);
	h->nr_columns = (now_ns - h->t0_ns) / h->interval_ns + 1;
	h->now = h->uses + (h->nr_columns - 1) * h->nr_pieces;
}

void heat_free(struct heat *h)
{
	free(h->uses);
}
