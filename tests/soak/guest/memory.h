/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of one kind whose content is known: it follows from the page and its generation.
 *
 * The memory is made of chunks of 2 MiB, which mremap() may move. A page has a number that does
 * not change when its chunk moves. When a page is written, its generation goes up by one, and all
 * of its words follow from number and generation. So a page that is lost, stale, or in another
 * one's place shows when it is checked.
 */
#ifndef SOAK_MEMORY_H
#define SOAK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE		4096ul
#define CHUNK		(2ul << 20)
#define CHUNK_PAGES	(CHUNK / PAGE)

enum memory_kind {
	SMALL,		/* anonymous, no huge pages */
	HUGE,		/* anonymous, huge pages where the kernel has them */
	FILE_CACHE,	/* a shared mapping of a file on a disk */
	SHARED,		/* a shared mapping of a file in memory */
	LOCKED,		/* anonymous, and locked */
	MERGED,		/* anonymous, and for KSM to merge: many pages are alike */
	KINDS
};

struct memory {
	enum memory_kind kind;
	size_t chunks;
	size_t pages;
	char **chunk;		/* where each is now */
	char *spare;		/* room for one more */
	int fd;			/* of the file; -1 if there is none */
	uint64_t seed;
	uint32_t *generation;	/* of each page; 0 is zeroes */
	bool *freed;		/* by MADV_FREE: each page may be zeroes as well */
	uint64_t checked;	/* pages */
};

/* The kind that @name names; KINDS if none. */
enum memory_kind memory_kind_named(const char *name);

/* May others not see what is written, and do pages go back to zeroes when they are dropped? */
bool memory_is_private(const struct memory *m);

/*
 * Map @chunks chunks and write all of them, on @node as far as that has memory left and may be
 * used. Ends the program if there is no memory.
 */
void memory_map(struct memory *m, enum memory_kind kind, unsigned int node, size_t chunks,
		uint64_t seed);

/* Where a page is now. */
char *memory_page(const struct memory *m, size_t page);

/* Give a page its next generation. */
void memory_write(struct memory *m, size_t page);

/* Check a page, all words of it. Ends the program with status 1 if one is wrong. */
void memory_check(struct memory *m, size_t page);

/* Check one word of a page, in a hurry: only one load. */
void memory_glance(const struct memory *m, size_t page, size_t word);

/* Move a chunk to another address, if it is one mapping. */
void memory_move(struct memory *m, size_t chunk);

/* Drop pages. Those of private memory are zeroes then, even what was poisoned. */
void memory_drop(struct memory *m, size_t first, size_t pages);

/* Print @what and the error, and end the program with status 1. */
__attribute__((noreturn)) void memory_die(const char *what);

#endif
