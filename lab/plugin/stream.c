// SPDX-License-Identifier: GPL-2.0
#include "stream.h"

#include <string.h>

void stream_init(struct stream_table *t)
{
	memset(t, 0, sizeof(*t));
	memset(t->next, 0xff, sizeof(t->next));
}

static bool stream_advance(struct stream_table *t, unsigned int i, uint64_t line)
{
	bool known = t->seen[i] == STREAM_TRAIN;

	if (!known)
		t->seen[i]++;
	t->next[i] = line + 1;
	t->kept[i] = 1;
	t->recent = i;
	return known && line % STREAM_PAGE_LINES;
}

bool stream_miss(struct stream_table *t, uint64_t line)
{
	unsigned int i;

	if (t->next[t->recent] == line)
		return stream_advance(t, t->recent, line);
	for (i = 0; i < STREAM_ENTRIES; i++)
		if (t->next[i] == line)
			return stream_advance(t, i, line);

	/* A new sequence takes the place of one that was not used for a round. */
	while (t->kept[t->hand]) {
		t->kept[t->hand] = 0;
		t->hand = (t->hand + 1) % STREAM_ENTRIES;
	}
	t->next[t->hand] = line + 1;
	t->seen[t->hand] = 0;
	t->hand = (t->hand + 1) % STREAM_ENTRIES;
	return false;
}
