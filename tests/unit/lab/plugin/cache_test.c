// SPDX-License-Identifier: GPL-2.0
/* cache against a naive one that keeps the time of last use of every line. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define MAX_LINES	4096

struct naive_line {
	bool valid;
	bool dirty;
	uint64_t line;
	uint64_t used;
};

struct naive {
	struct naive_line line[MAX_LINES];	/* set * ways + way */
	uint64_t sets;
	unsigned int ways;
	uint64_t now;
};

static struct naive_line *naive_find(struct naive *n, uint64_t line)
{
	struct naive_line *set = &n->line[line % n->sets * n->ways];
	unsigned int w;

	for (w = 0; w < n->ways; w++)
		if (set[w].valid && set[w].line == line)
			return &set[w];
	return NULL;
}

static bool naive_access(struct naive *n, uint64_t line, bool dirty, struct naive_line *victim)
{
	struct naive_line *set = &n->line[line % n->sets * n->ways];
	struct naive_line *l = naive_find(n, line);
	unsigned int w;

	n->now++;
	if (l) {
		l->dirty |= dirty;
		l->used = n->now;
		return true;
	}
	l = set;
	for (w = 1; w < n->ways && l->valid; w++)
		if (!set[w].valid || set[w].used < l->used)
			l = &set[w];
	*victim = *l;
	*l = (struct naive_line){ .valid = true, .dirty = dirty, .line = line, .used = n->now };
	return false;
}

static void check_trace(uint64_t bytes, unsigned int ways, uint64_t span, uint64_t base, int n)
{
	static struct naive naive;
	struct naive_line gone, *l;
	struct cache cache;
	uint64_t line, victim;
	bool dirty, hit;

	CHECK(cache_geometry_ok(bytes, ways));
	if (!CHECK(cache_init(&cache, bytes, ways)))
		return;
	memset(&naive, 0, sizeof(naive));
	naive.ways = ways;
	naive.sets = bytes / CACHE_LINE / ways;
	while (n--) {
		/* Some lines far more often than others, so that the order of use counts. */
		line = base + (rand() % 2 ? rand() % span : rand() % (span / 8 + 1));
		switch (rand() % 64) {
		case 0:
			l = naive_find(&naive, line);
			if (l)
				l->dirty = true;
			CHECK(cache_mark_dirty(&cache, line) == !!l);
			continue;
		case 1:
			if (rand() % 64)
				break;
			cache_flush(&cache);
			memset(naive.line, 0, sizeof(naive.line));
			continue;
		}
		dirty = rand() % 2;
		hit = naive_access(&naive, line, dirty, &gone);
		if (!CHECK(cache_access(&cache, line, dirty, &victim) == hit) || hit)
			continue;
		CHECK((victim == CACHE_NONE) == !gone.valid);
		CHECK(cache_dirty(victim) == (gone.valid && gone.dirty));
		if (gone.valid)
			CHECK(cache_line(victim) == gone.line);
	}
	cache_free(&cache);
}

/* Every geometry up to small limits is accepted exactly when sets are a power of two. */
static void check_geometry(void)
{
	uint64_t bytes, ways, sets;
	bool right;

	for (ways = 0; ways <= 70; ways++) {
		for (bytes = 0; bytes <= 70 * 64 * 16; bytes += 32) {
			right = false;
			for (sets = 1; sets <= 70 * 16; sets *= 2)
				if (ways && ways <= 64 && sets * ways * 64 == bytes)
					right = true;
			CHECK(cache_geometry_ok(bytes, ways) == right);
		}
	}
}

int main(void)
{
	static const unsigned int ways[] = { 1, 2, 3, 8, 12, 16 };
	unsigned int i;
	uint64_t sets;

	srand(2);
	check_geometry();
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		for (sets = 1; sets <= 64; sets *= 4) {
			check_trace(sets * ways[i] * 64, ways[i], sets * ways[i] * 2, 0, 40000);
			/* The highest lines that virtual addresses can give. */
			check_trace(sets * ways[i] * 64, ways[i], sets * ways[i] * 3,
				    (UINT64_C(1) << 58) - sets * ways[i] * 3, 20000);
		}
	}
	return check_report();
}
