// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS		(PAGE / sizeof(uint64_t))
/* Of mergeable memory: so many pages differ, and so many generations. */
#define MERGED_PAGES	4
#define MERGED_TIMES	2
#define DISK		"/tmp/disk"

static const char * const names[] = {
	[SMALL] = "small", [HUGE] = "huge", [FILE_CACHE] = "file", [SHARED] = "shared",
	[LOCKED] = "locked", [MERGED] = "merged",
};

void memory_die(const char *what)
{
	fprintf(stderr, "keeper: ");
	perror(what);
	exit(1);
}

enum memory_kind memory_kind_named(const char *name)
{
	enum memory_kind kind;

	for (kind = 0; kind < KINDS; kind++)
		if (!strcmp(name, names[kind]))
			break;
	return kind;
}

bool memory_is_private(const struct memory *m)
{
	return m->fd < 0;
}

/* What a page's words begin with; each word is more by STEP. */
#define STEP	0x9e3779b97f4a7c15ull

static uint64_t first_word(const struct memory *m, size_t page)
{
	uint64_t generation = m->generation[page], x;

	if (m->kind == MERGED) {
		page %= MERGED_PAGES;
		generation = 1 + generation % MERGED_TIMES;
	}
	x = (m->seed ^ page << 32 ^ generation) * 0xbf58476d1ce4e5b9ull;
	return x ^ x >> 29;
}

static uint64_t expected(const struct memory *m, size_t page, size_t word)
{
	return m->generation[page] ? first_word(m, page) + word * STEP : 0;
}

char *memory_page(const struct memory *m, size_t page)
{
	return m->chunk[page / CHUNK_PAGES] + page % CHUNK_PAGES * PAGE;
}

void memory_write(struct memory *m, size_t page)
{
	uint64_t *words = (uint64_t *)memory_page(m, page), value;
	size_t i;

	m->generation[page]++;
	m->freed[page] = false;
	value = first_word(m, page);
	for (i = 0; i < WORDS; i++, value += STEP)
		words[i] = value;
}

__attribute__((noreturn))
static void complain(const struct memory *m, size_t page, size_t word, uint64_t found)
{
	fprintf(stderr,
		"keeper: %s: wrong content: word %zu of page %zu at %p is %#" PRIx64
		", not %#" PRIx64 " (generation %u%s, process %d)\n",
		names[m->kind], word, page, (void *)memory_page(m, page), found,
		expected(m, page, word), m->generation[page], m->freed[page] ? ", freed" : "",
		getpid());
	exit(1);
}

/* A page that MADV_FREE was told of: writing to it keeps it, as it is then: old, or zeroes. */
static void keep_freed(struct memory *m, size_t page)
{
	volatile uint64_t *words = (volatile uint64_t *)memory_page(m, page);

	words[0] = expected(m, page, 0);
	m->freed[page] = false;
	if (!m->generation[page] || words[1])
		return;
	words[0] = 0;
	m->generation[page] = 0;
}

void memory_check(struct memory *m, size_t page)
{
	const volatile uint64_t *words = (volatile uint64_t *)memory_page(m, page);
	uint64_t value, step, found;
	size_t i;

	if (m->freed[page])
		keep_freed(m, page);
	value = expected(m, page, 0);
	step = m->generation[page] ? STEP : 0;
	for (i = 0; i < WORDS; i++, value += step) {
		found = words[i];
		if (found != value)
			complain(m, page, i, found);
	}
	m->checked++;
}

void memory_glance(const struct memory *m, size_t page, size_t word)
{
	uint64_t found = ((volatile uint64_t *)memory_page(m, page))[word % WORDS];

	if (found != expected(m, page, word % WORDS) && !(m->freed[page] && !found))
		complain(m, page, word % WORDS, found);
}

void memory_move(struct memory *m, size_t chunk)
{
	char *from = m->chunk[chunk];

	if (mremap(from, CHUNK, CHUNK, MREMAP_MAYMOVE | MREMAP_FIXED, m->spare) != m->spare) {
		/* The kernel moves one mapping at a time, and has unmapped where it was to go. */
		if (errno != EFAULT)
			memory_die("mremap");
		from = m->spare;
		m->spare = m->chunk[chunk];
	}
	m->chunk[chunk] = m->spare;
	m->spare = from;
	/* Nobody else is to be mapped there meanwhile. */
	if (mmap(from, CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != from)
		memory_die("mmap: spare chunk");
}

void memory_drop(struct memory *m, size_t first, size_t pages)
{
	size_t i;

	if (madvise(memory_page(m, first), pages * PAGE, MADV_DONTNEED))
		memory_die("MADV_DONTNEED");
	for (i = first; i < first + pages && memory_is_private(m); i++) {
		m->generation[i] = 0;
		m->freed[i] = false;
	}
}

/* The file of shared memory; -1 for other kinds. */
static int make_file(enum memory_kind kind, size_t size)
{
	int fd = -1;

	if (kind == FILE_CACHE)
		fd = open(DISK, O_TMPFILE | O_RDWR, 0600);
	else if (kind == SHARED)
		fd = memfd_create("keeper", 0);
	else
		return -1;
	/* All of it: there is no memory for a page later if the disk is full. */
	if (fd < 0 || posix_fallocate(fd, 0, size))
		memory_die("file");
	return fd;
}

static void map_chunks(struct memory *m)
{
	int flags = m->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	size_t i;
	char *at;

	/* One chunk more, to move to, and one that is lost in aligning. */
	at = mmap(NULL, (m->chunks + 2) * CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		memory_die("mmap");
	at = (char *)(((uintptr_t)at + CHUNK - 1) / CHUNK * CHUNK);
	m->spare = at + m->chunks * CHUNK;
	for (i = 0; i < m->chunks; i++) {
		m->chunk[i] = at + i * CHUNK;
		if (mmap(m->chunk[i], CHUNK, PROT_READ | PROT_WRITE, flags | MAP_FIXED, m->fd,
			 m->fd < 0 ? 0 : i * CHUNK) != m->chunk[i])
			memory_die("mmap: chunk");
		/* What a kernel has no notion of, it does without. */
		if (m->kind == HUGE)
			madvise(m->chunk[i], CHUNK, MADV_HUGEPAGE);
		else if (m->kind == SMALL || m->kind == LOCKED)
			madvise(m->chunk[i], CHUNK, MADV_NOHUGEPAGE);
		else if (m->kind == MERGED)
			madvise(m->chunk[i], CHUNK, MADV_MERGEABLE);
		if (m->kind == LOCKED && mlock(m->chunk[i], CHUNK))
			memory_die("mlock");
	}
}

void memory_map(struct memory *m, enum memory_kind kind, unsigned int node, size_t chunks,
		uint64_t seed)
{
	unsigned long mask = 1ul << node;
	size_t page;

	*m = (struct memory) {
		.kind = kind,
		.chunks = chunks,
		.pages = chunks * CHUNK_PAGES,
		.chunk = calloc(chunks, sizeof(*m->chunk)),
		.generation = calloc(chunks * CHUNK_PAGES, sizeof(*m->generation)),
		.freed = calloc(chunks * CHUNK_PAGES, sizeof(*m->freed)),
		.seed = seed,
	};
	if (!m->chunk || !m->generation || !m->freed)
		memory_die("calloc");
	/* A wish: the process may be kept to other nodes. */
	syscall(SYS_set_mempolicy, MPOL_PREFERRED, &mask, 64);
	m->fd = make_file(kind, chunks * CHUNK);
	map_chunks(m);
	for (page = 0; page < m->pages; page++)
		memory_write(m, page);
	/* Where it is to be afterwards, others decide. */
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
}
