// SPDX-License-Identifier: GPL-2.0
/* nodemap against a map made page by page, at every boundary of many machines. */
#include "nodemap.h"

#include <stdlib.h>

#include "check.h"

#define MB	(UINT64_C(1) << 20)
#define GB	(UINT64_C(1) << 30)
#define PAGE	4096

struct machine {
	uint64_t below4g;
	int nr;
	uint64_t size[NODEMAP_MAX_NODES];
};

/* Where the RAM offset @off lies in physical addresses. */
static uint64_t address_of(const struct machine *m, uint64_t off)
{
	return off < m->below4g ? off : NODEMAP_4G + (off - m->below4g);
}

/* Node of @off by walking through the sizes. */
static int node_of(const struct machine *m, uint64_t off)
{
	uint64_t left = off;
	int n;

	for (n = 0; n < m->nr; n++) {
		if (left < m->size[n])
			return n;
		left -= m->size[n];
	}
	return -1;
}

static void check_address(const struct machine *m, const struct nodemap *map, uint64_t off)
{
	uint64_t back;

	if (!CHECK(nodemap_offset(map, address_of(m, off), &back)))
		return;
	CHECK(back == off);
	CHECK(nodemap_node(map, back) == node_of(m, off));
}

static void check_machine(const struct machine *m)
{
	struct nodemap map;
	uint64_t total = 0, end, off;
	int n;

	nodemap_init(&map, m->below4g, m->size, m->nr);
	for (n = 0; n < m->nr; n++)
		total += m->size[n];
	CHECK(map.total == total);
	CHECK(map.nr == m->nr);

	/* The bytes on both sides of every border, and some within. */
	for (end = 0, n = 0; n < m->nr; n++) {
		check_address(m, &map, end);
		check_address(m, &map, end + m->size[n] / 2);
		end += m->size[n];
		check_address(m, &map, end - 1);
	}
	if (m->below4g < total) {
		check_address(m, &map, m->below4g - 1);
		check_address(m, &map, m->below4g);
	}
	/* No RAM: the hole, its last byte, behind the end. */
	if (m->below4g < NODEMAP_4G) {
		CHECK(!nodemap_offset(&map, m->below4g < total ? m->below4g : total, &off));
		CHECK(!nodemap_offset(&map, NODEMAP_4G - 1, &off));
	}
	CHECK(!nodemap_offset(&map, address_of(m, total), &off));
	CHECK(!nodemap_offset(&map, UINT64_MAX, &off));
}

static void check_every_page(const struct machine *m)
{
	struct nodemap map;
	uint64_t off, total = 0;
	int n;

	nodemap_init(&map, m->below4g, m->size, m->nr);
	for (n = 0; n < m->nr; n++)
		total += m->size[n];
	for (off = 0; off < total; off += PAGE)
		check_address(m, &map, off + off / PAGE % PAGE);
}

int main(void)
{
	static const struct machine machines[] = {
		{ 2 * GB, 2, { 2 * GB, 1 * GB } },
		{ 2 * GB, 3, { 1 * GB, 3 * GB, 2 * GB } },
		{ 2 * GB, 3, { 2 * GB, 2 * GB, 1 * GB } },
		{ 1 * GB, 1, { 1 * GB } },		/* no hole is reached */
		{ 2 * GB, 1, { 8 * GB } },
		{ 4 * GB, 2, { 4 * GB, 4 * GB } },	/* no hole at all */
		{ 2 * GB, 8, { PAGE, PAGE, GB, 3 * PAGE, GB - PAGE, 2 * GB, PAGE, 40 * GB } },
	};
	static const struct machine small[] = {
		{ 3 * MB, 3, { 2 * MB, 2 * MB, 1 * MB } },
		{ 1 * MB, 4, { 1 * MB, PAGE, 2 * MB, 3 * PAGE } },
	};
	struct machine m;
	unsigned int i;
	int n;

	for (i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		check_machine(&machines[i]);
	for (i = 0; i < sizeof(small) / sizeof(*small); i++) {
		check_machine(&small[i]);
		check_every_page(&small[i]);
	}
	srand(1);
	for (i = 0; i < 2000; i++) {
		m.below4g = (1 + rand() % 2048) * MB;
		m.nr = 1 + rand() % NODEMAP_MAX_NODES;
		for (n = 0; n < m.nr; n++)
			m.size[n] = (UINT64_C(1) + rand() % (1 << 20)) * PAGE;
		check_machine(&m);
	}
	return check_report();
}
