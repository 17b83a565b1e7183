// SPDX-License-Identifier: GPL-2.0
#include "start.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "args.h"
#include "content.h"
#include "numa.h"

#define BATCH	1024	/* pages */
#define TRIES	5
#define ASTRAY	10	/* up to one page in so many may be elsewhere after the last try */

struct unit {
	uint64_t index;
	double heat;
};

static int hotter(const void *a, const void *b)
{
	const struct unit *one = a, *other = b;

	if (one->heat == other->heat)
		return one->index < other->index ? -1 : 1;
	return one->heat > other->heat ? -1 : 1;
}

static void choose_hottest(struct start *s, uint64_t fast_units, const struct zipf *zipf)
{
	struct unit *unit = calloc(s->units, sizeof(*unit));
	uint64_t i;

	if (!unit)
		args_die("units");
	for (i = 0; i < s->units; i++)
		unit[i].index = i;
	for (i = 0; i < zipf->n; i++)
		unit[zipf_place(zipf, i) * NUMA_PAGE / s->unit_bytes].heat += zipf_weight(i);
	qsort(unit, s->units, sizeof(*unit), hotter);
	for (i = 0; i < s->units; i++)
		s->fast[unit[i].index] = i < fast_units;
	free(unit);
}

void start_choose(struct start *s, uint64_t fast_units, bool hottest, const struct zipf *zipf)
{
	uint64_t i;

	if (hottest && zipf) {
		choose_hottest(s, fast_units, zipf);
		return;
	}
	for (i = 0; i < s->units; i++)
		s->fast[i] = hottest ? i < fast_units : i >= s->units - fast_units;
}

int start_fill(const struct start *s, uint64_t seed)
{
	int fast;
	uint64_t i;

	for (fast = 0; fast < 2; fast++) {
		if (numa_bind_memory(s->node[fast]))
			return -1;
		for (i = 0; i < s->units; i++)
			if (s->fast[i] == fast)
				content_fill(s->memory, i * s->unit_bytes, (i + 1) * s->unit_bytes,
					     seed);
	}
	return numa_bind_memory(-1);
}

/* Of @n pages from the page @first on: move what is not where it should be; how many these were. */
static long put_batch(const struct start *s, uint64_t first, unsigned int n, bool fast)
{
	int status[BATCH], node[BATCH];
	unsigned int i, wrong = 0;
	void *page[BATCH];
	uint64_t unit;

	for (i = 0; i < n; i++)
		page[i] = s->memory + (first + i) * NUMA_PAGE;
	if (syscall(SYS_move_pages, 0, n, page, NULL, status, 0) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		unit = (first + i) * NUMA_PAGE / s->unit_bytes;
		if (s->fast[unit] != fast || status[i] == s->node[fast])
			continue;
		page[wrong] = page[i];
		node[wrong++] = s->node[fast];
	}
	/* What it says of single pages the next try finds out. */
	if (wrong && syscall(SYS_move_pages, 0, wrong, page, node, status, MPOL_MF_MOVE) < 0)
		return -1;
	return wrong;
}

int start_put(const struct start *s, bool fast)
{
	uint64_t pages = s->units * s->unit_bytes / NUMA_PAGE, at, wrong;
	unsigned int n;
	int tries;
	long moved;

	/*
	 * A page that is in use just then stays where it is. And a policy may move pages all the
	 * time: to DAMON, which demotes what was not used for a while, a hot set is cold until the
	 * region begins.
	 */
	for (tries = 0; tries <= TRIES; tries++) {
		wrong = 0;
		for (at = 0; at < pages; at += n, wrong += moved) {
			n = pages - at < BATCH ? pages - at : BATCH;
			moved = put_batch(s, at, n, fast);
			if (moved < 0)
				return -1;
		}
		if (!wrong)
			return 0;
	}
	if (wrong <= pages / ASTRAY)
		return 0;
	errno = EBUSY;
	return -1;
}
