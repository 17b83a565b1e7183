// SPDX-License-Identifier: GPL-2.0
/* overlap: which misses belong to one epoch, by misses whose order is known. */
#include "overlap.h"

#include "check.h"

#define WINDOW	100
#define MOST	4
#define MISS	80000
#define FAR	250000
#define BASE	UINT64_C(0x7f0000000000)

static struct overlap o;

/* After @insns more instructions, a miss at @vaddr that loads @value. */
static int64_t miss(uint64_t insns, uint64_t vaddr, uint64_t value, int64_t ps)
{
	o.insn += insns;
	o.value = value;
	return overlap_miss(&o, vaddr, ps);
}

static void in_flight(void)
{
	int i;

	overlap_init(&o, WINDOW, MOST);
	for (i = 0; i < 3 * MOST; i++)
		CHECK(miss(5, BASE + i * 8192, 7, MISS) == (i % MOST ? 0 : MISS));
}

static void window(void)
{
	overlap_init(&o, WINDOW, MOST);
	CHECK(miss(1, BASE, 0, MISS) == MISS);
	CHECK(miss(WINDOW - 1, BASE + 8192, 0, MISS) == 0);
	/* The window begins with the epoch, not with its last miss. */
	CHECK(miss(1, BASE + 16384, 0, MISS) == MISS);
	CHECK(miss(WINDOW, BASE, 0, MISS) == MISS);
}

/* The CPU waits for the slowest of them. */
static void nodes(void)
{
	overlap_init(&o, WINDOW, MOST);
	CHECK(miss(1, BASE, 0, MISS) == MISS);
	CHECK(miss(1, BASE + 8192, 0, FAR) == FAR - MISS);
	CHECK(miss(1, BASE + 16384, 0, FAR) == 0);
	CHECK(miss(1, BASE + 24576, 0, FAR + 1) == 1);
}

static void pointers(void)
{
	int i;

	overlap_init(&o, WINDOW, MOST);
	for (i = 0; i < 10; i++)
		CHECK(miss(1, BASE + i * 8192, BASE + (i + 1) * 8192, MISS) == MISS);

	/* A field of what is pointed to, and what is just beside that. */
	overlap_init(&o, WINDOW, MOST);
	CHECK(miss(1, BASE, BASE + 8192, MISS) == MISS);
	CHECK(miss(1, BASE + 65536, 0, MISS) == 0);
	CHECK(miss(1, BASE + 8191, 0, MISS) == 0);
	CHECK(miss(1, BASE + 8192 + 4095, 0, MISS) == MISS);
	/* In the next epoch its value is there. */
	CHECK(miss(1, BASE + 8192, 0, MISS) == 0);
	CHECK(miss(1, BASE + 8192 + 4096, 0, MISS) == 0);
}

static void without(void)
{
	overlap_init(&o, 0, MOST);
	CHECK(miss(1, BASE, 0, MISS) == MISS);
	CHECK(miss(0, BASE + 8192, 0, MISS) == MISS);
}

int main(void)
{
	in_flight();
	window();
	nodes();
	pointers();
	without();
	return check_report();
}
