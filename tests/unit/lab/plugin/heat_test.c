// SPDX-License-Identifier: GPL-2.0
/* heat and frames against plain counts of the same uses. */
#include "heat.h"

#include <stdlib.h>

#include "check.h"
#include "frames.h"

#define MB	(UINT64_C(1) << 20)
#define STEP	10

static struct heat h;

static void sizes(const uint64_t *size, int nr, uint64_t piece)
{
	struct nodemap map;

	nodemap_init(&map, 0, size, nr);
	CHECK(heat_init(&h, &map));
	CHECK(UINT64_C(1) << h.piece_shift == piece);
	CHECK(h.nr_pieces * piece == map.total);
	heat_free(&h);
}

/* 64 for the largest node, or as many as it takes for no piece to be of two nodes. */
static void pieces(void)
{
	sizes((uint64_t[]){ 2048 * MB, 1024 * MB }, 2, 32 * MB);
	sizes((uint64_t[]){ 1024 * MB, 2048 * MB, 128 * MB }, 3, 32 * MB);
	sizes((uint64_t[]){ 128 * MB, 65536 * MB }, 2, 128 * MB);
	sizes((uint64_t[]){ 640 * MB }, 1, 16 * MB);
	sizes((uint64_t[]){ 1 }, 1, 1);
}

static uint64_t column(size_t c, size_t piece)
{
	return h.uses[c * h.nr_pieces + piece];
}

/* However long it takes, each use is in the column of its time. */
static void random_uses(int64_t interval, int64_t t0, int n)
{
	uint64_t *expected = calloc(n * interval * h.nr_pieces, sizeof(*expected)), sum;
	size_t piece, c, width;
	int64_t now = 0, t;
	int i;

	heat_begin(&h, interval, t0);
	CHECK(h.nr_columns == 1 && column(0, 0) == 0);
	for (i = 0; i < n; i++) {
		now += rand() % interval;
		heat_advance(&h, t0 + now);
		piece = rand() % h.nr_pieces;
		heat_use(&h, (piece << h.piece_shift) + rand() % (1 << h.piece_shift));
		expected[now * h.nr_pieces + piece]++;
	}
	width = h.interval_ns;
	CHECK(h.nr_columns == now / width + 1);
	CHECK(h.nr_columns <= HEAT_COLUMNS);
	CHECK(width == (size_t)interval || now / (width / 2) >= HEAT_COLUMNS);
	for (c = 0; c < HEAT_COLUMNS; c++)
		for (piece = 0; piece < h.nr_pieces; piece++) {
			sum = 0;
			for (t = c * width; t < (int64_t)((c + 1) * width) && t <= now; t++)
				sum += expected[t * h.nr_pieces + piece];
			CHECK(column(c, piece) == sum);
		}
	free(expected);
}

/* A long time without any use, then many columns become one at once. */
static void far_away(void)
{
	heat_begin(&h, STEP, 0);
	heat_use(&h, 0);
	heat_advance(&h, STEP * HEAT_COLUMNS * 1000);
	heat_use(&h, MB);
	CHECK(h.interval_ns == STEP * 1024);
	CHECK(h.nr_columns == HEAT_COLUMNS * 1000 / 1024 + 1);
	CHECK(column(0, 0) == 1 && column(h.nr_columns - 1, 1) == 1);
}

/* Each frame once in each interval, by its node. */
static void frames(void)
{
	static uint32_t used_in[100];
	struct frames f = { .used_in = used_in, .interval = 1 };
	uint64_t expected[2] = { 0 };
	int i, frame, round;

	for (round = 0; round < 50; round++) {
		bool met[100] = { false };

		for (i = 0; i < 80; i++) {
			frame = rand() % 100;
			expected[frame / 50] += !met[frame];
			met[frame] = true;
			frames_use(&f, frame, frame / 50);
		}
		CHECK(f.used[0] == expected[0] && f.used[1] == expected[1]);
		f.interval += 1 + round % 3;
	}
}

int main(void)
{
	struct nodemap map;
	int i;

	srand(7);
	pieces();
	nodemap_init(&map, 0, (uint64_t[]){ 4 * MB, 2 * MB }, 2);
	CHECK(heat_init(&h, &map));
	for (i = 1; i < 5; i++)
		random_uses(i * STEP, i * 777, i * 100);
	random_uses(STEP, 0, 3000);
	heat_free(&h);
	nodemap_init(&map, 0, (uint64_t[]){ 64 * MB }, 1);
	CHECK(heat_init(&h, &map));
	far_away();
	heat_free(&h);
	frames();
	return check_report();
}
