// SPDX-License-Identifier: GPL-2.0
/* copying: what is a copy of a page, and what looks like one. */
#include "copying.h"

#include "check.h"

#define KERNEL	(UINT64_C(1) << 63)
#define FROM	(KERNEL + 0x5000)
#define TO	(KERNEL + 0x9000)

static struct copying c;

/* Lines @first to @last of a copy, 32 bytes at a time: how many copies that ended. */
static int copy_between(uint64_t from, uint64_t to, int first, int last)
{
	int ended = 0, i, half;

	for (i = first; i <= last; i++)
		for (half = 0; half < 2; half++) {
			CHECK(!copying_access(&c, from + 64 * i + 32 * half, false));
			CHECK(!copying_access(&c, from + 64 * i + 32 * half + 8, false));
			ended += copying_access(&c, to + 64 * i + 32 * half, true);
			ended += copying_access(&c, to + 64 * i + 32 * half + 8, true);
		}
	return ended;
}

static int copy(int first, int last)
{
	return copy_between(FROM, TO, first, last);
}

static bool store(int first, int last)
{
	bool ended = false;
	int i;

	for (i = first; i <= last; i++)
		ended |= copying_access(&c, TO + 64 * i, true);
	return ended;
}

static void load(int first, int last)
{
	int i;

	for (i = first; i <= last; i++)
		CHECK(!copying_access(&c, FROM + 64 * i, false));
}

static void whole(void)
{
	CHECK(!copy(0, 62));
	CHECK(copy(63, 63) == 1);
	CHECK(c.from == (FROM + 4095) >> COPYING_LINE_SHIFT);
	CHECK(copy(0, 63) == 1);
}

/* An interrupt uses other lines, of other pages and of these. */
static void interrupted(void)
{
	CHECK(!copy(0, 30));
	CHECK(!copying_access(&c, KERNEL + 12345678, false));
	CHECK(!copying_access(&c, KERNEL + 87654321, true));
	CHECK(!copying_access(&c, FROM + 64 * 50, false));
	CHECK(!copying_access(&c, TO + 64 * 60, true));
	CHECK(copy(31, 40) == 0);
	/* And begins two pages. */
	CHECK(!copying_access(&c, KERNEL + 0x100000, false));
	CHECK(!copying_access(&c, KERNEL + 0x200000, true));
	CHECK(copy(41, 63) == 1);
	CHECK(c.from == (FROM + 4095) >> COPYING_LINE_SHIFT);
}

static void others(void)
{
	/* A page is cleared, and before that another one was read. */
	load(0, 63);
	CHECK(!store(0, 63));
	/* Read, then stored to: only the last line is in step. */
	load(0, 63);
	CHECK(!copying_access(&c, TO + 64 * 63, true));
	/* Parts of a page. */
	CHECK(!copy(1, 63));
	CHECK(!copy(0, 62));
	CHECK(!copy(0, 31));
	CHECK(!copy(33, 63));
	/* Each line is read and stored to, as that of a page table whose entries change. */
	CHECK(!copy_between(FROM, FROM, 0, 63));
	/* To a place that is not the same in its page. */
	c = (struct copying){ 0 };
	load(0, 0);
	CHECK(!copying_access(&c, TO + 64 * 1, true));
	CHECK(!copying_access(&c, TO + 64 * 2, true));
	CHECK(copy(0, 63) == 1);
}

/* To and from the memory of programs. */
static void user(void)
{
	CHECK(!copy_between(FROM, TO - KERNEL, 0, 63));
	CHECK(!copy_between(FROM - KERNEL, TO, 0, 63));
	CHECK(copy(0, 63) == 1);
}

int main(void)
{
	whole();
	interrupted();
	others();
	user();
	return check_report();
}
