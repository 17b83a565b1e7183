// SPDX-License-Identifier: GPL-2.0
/* series against plain sums over the same events. */
#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define BUCKETS	3000
#define NODES	3

static void random_events(struct series *s, int64_t interval, int64_t t0)
{
	static uint64_t expected[BUCKETS][NODES];
	int64_t now = t0;
	size_t last = 0, b;
	uint64_t n;
	int i, node;

	memset(expected, 0, sizeof(expected));
	series_begin(s, NODES, interval, t0);
	CHECK(s->nr_buckets == 0);
	for (i = 0; i < 5000; i++) {
		now += rand() % interval;
		node = rand() % NODES;
		n = rand() % 1000;
		b = (now - t0) / interval;
		if (b >= BUCKETS)
			break;
		expected[b][node] += n;
		last = b;
		CHECK(series_add(s, node, now, n));
		/* Also late ones, for an earlier bucket. */
		CHECK(series_add(s, node, t0 + (now - t0) / 2, 1));
		expected[(now - t0) / 2 / interval][node]++;
	}
	CHECK(s->nr_buckets == last + 1);
	for (b = 0; b < s->nr_buckets; b++)
		for (node = 0; node < NODES; node++)
			CHECK(s->count[b * NODES + node] == expected[b][node]);
}

int main(void)
{
	struct series s = { 0 };
	int i;

	srand(5);
	for (i = 1; i < 20; i++)
		random_events(&s, i * 1000, i * 777777);
	/* Another number of nodes, and a first event far from the begin. */
	series_begin(&s, 1, 10, 0);
	CHECK(series_add(&s, 0, 99999, 5));
	CHECK(s.nr_buckets == 10000);
	CHECK(s.count[9999] == 5);
	CHECK(s.count[0] == 0 && s.count[9998] == 0);
	series_free(&s);
	return check_report();
}
