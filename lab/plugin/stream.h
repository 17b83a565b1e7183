/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recognises ascending sequences of cache lines, as the prefetcher of a CPU
 * does. A sequence that goes on into the next page stays known, but its first
 * line there is not prefetched: prefetchers do not cross pages.
 */
#ifndef TIERMEM_STREAM_H
#define TIERMEM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#define STREAM_ENTRIES		16
#define STREAM_TRAIN		2	/* successive lines until a sequence is known */
#define STREAM_PAGE_LINES	64

struct stream_table {
	uint64_t next[STREAM_ENTRIES];	/* line that would go on with the sequence */
	uint8_t seen[STREAM_ENTRIES];	/* lines that did, up to STREAM_TRAIN */
	uint8_t kept[STREAM_ENTRIES];	/* used since the hand last passed */
	unsigned int recent;
	unsigned int hand;
};

/* Empty table. */
void stream_init(struct stream_table *t);

/* Line @line missed the cache; true if a prefetcher would have fetched it in advance. */
bool stream_miss(struct stream_table *t, uint64_t line);

#endif
