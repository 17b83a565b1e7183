// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of hotness monitoring units: what is right is understood, what is wrong is
 * refused by name, and whatever a device says leads to bounded work within its list.
 */
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "sources/chmu/bar.h"
#include "sources/chmu/regs.h"

#define PAGE_SHIFT	12
#define PAGE		(1ull << PAGE_SHIFT)
#define MB		(1ull << 20)
#define GB		(1ull << 30)
#define LENGTH		0x8000ull
#define ROOM		0x10000ull

/* A device that can do all: list at 0x100, bitmap at 0x80. */
static const u64 good[4] = {
	CHMU_CAP0_OVERFLOW_INT | CHMU_CAP0_FILL_INT | CHMU_CAP0_BOTH | 5 |	/* message 5 */
	1ull << 32 | 10ull << 36 |	/* from 10 * 100 us */
	5ull << 16 | 60ull << 20 |	/* to 60 s */
	1024ull << 48,
	0x3ff0 | 0xfull << 32 | CHMU_CAP1_EPOCHS | CHMU_CAP1_RANDOM,
	0x80, 0x100,
};

static const char *decode(struct chmu_caps *caps, int i, u64 value)
{
	u64 cap[4];

	memcpy(cap, good, sizeof(cap));
	if (i >= 0)
		cap[i] = value;
	return chmu_decode(caps, cap, LENGTH, ROOM, PAGE_SHIFT);
}

static bool refused(int i, u64 value, const char *why)
{
	struct chmu_caps caps;
	const char *wrong = decode(&caps, i, value);

	return wrong && strstr(wrong, why);
}

static u64 with(int i, u64 field, u64 value)
{
	return (good[i] & ~field) | chmu_put(field, value);
}

static void capabilities(void)
{
	static const u64 gone[4] = { CHMU_GONE, CHMU_GONE, CHMU_GONE, CHMU_GONE };
	struct chmu_caps caps;

	CHECK(!decode(&caps, -1, 0));
	CHECK(caps.min_us == 1000 && caps.max_us == 60000000);
	CHECK(caps.entries == 1024 && caps.list == 0x100);
	CHECK(caps.bitmap == 0x80 && caps.bitmap_words == 16);
	CHECK(caps.units == 0x3ff0 && caps.sampling == 0xf && caps.msi == 5);
	CHECK(caps.what == CHMU_WHAT_BOTH && caps.epochs && caps.overflow_int && caps.fill_int);

	CHECK(chmu_decode(&caps, gone, LENGTH, ROOM, PAGE_SHIFT));
	CHECK(refused(1, with(1, CHMU_CAP1_UNITS, 0), "no unit of a page"));
	CHECK(refused(1, with(1, CHMU_CAP1_UNITS, 0xf), "no unit of a page"));
	CHECK(refused(1, with(1, CHMU_CAP1_EPOCHS, 0), "no way of counting"));
	CHECK(refused(0, good[0] & ~CHMU_CAP0_BOTH, "cannot count reads"));
	CHECK(refused(0, (good[0] & ~CHMU_CAP0_BOTH) | CHMU_CAP0_WRITES, "cannot count reads"));
	CHECK(refused(0, with(0, CHMU_CAP0_MIN_SCALE, 0), "no length of epochs"));
	CHECK(refused(0, with(0, CHMU_CAP0_MIN_SCALE, 6), "no length of epochs"));
	CHECK(refused(0, with(0, CHMU_CAP0_MIN_MULT, 0), "no length of epochs"));
	CHECK(refused(0, with(0, CHMU_CAP0_MAX_SCALE, 0), "no length of epochs"));
	CHECK(refused(0, with(0, CHMU_CAP0_MAX_MULT, 0), "no length of epochs"));
	CHECK(refused(0, with(0, CHMU_CAP0_ENTRIES, 0), "no room in its hotlist"));
	CHECK(refused(0, with(0, CHMU_CAP0_ENTRIES, 1), "no room in its hotlist"));
	CHECK(refused(0, with(0, CHMU_CAP0_ENTRIES, 65535), "hotlist elsewhere"));
	CHECK(refused(3, 0, "hotlist elsewhere"));
	CHECK(refused(3, 0x68, "hotlist elsewhere"));
	CHECK(refused(3, 0x104, "hotlist elsewhere"));
	CHECK(refused(3, ROOM - 1024 * 8 + 8, "hotlist elsewhere"));
	CHECK(refused(3, ~0ull - 7, "hotlist elsewhere"));
	/* Behind other instances: the bitmap ends with its own. */
	CHECK(!decode(&caps, 3, ROOM - 1024 * 8));
	CHECK(caps.bitmap_words == (LENGTH - 0x80) / 8);
	/* Without a bitmap, or one that reaches into something else, there is none. */
	CHECK(!decode(&caps, 2, 0) && !caps.bitmap_words);
	CHECK(!decode(&caps, 2, 0x100) && !caps.bitmap_words);
	CHECK(!decode(&caps, 2, 0x84) && !caps.bitmap_words);
	CHECK(!decode(&caps, 2, 0x1000) && !caps.bitmap_words);
	CHECK(!decode(&caps, 2, 0x2100) && caps.bitmap_words == (LENGTH - 0x2100) / 8);
	CHECK(!decode(&caps, 2, LENGTH) && !caps.bitmap_words);
	CHECK(!decode(&caps, 2, ~0ull) && !caps.bitmap_words);
	/* All the time will do, and so will reads, or both in confidence. */
	CHECK(!decode(&caps, 1, (good[1] & ~CHMU_CAP1_EPOCHS) | CHMU_CAP1_ALWAYS_ON) &&
	      !caps.epochs);
	CHECK(!decode(&caps, 0, good[0] | 0x3f00) && caps.what == CHMU_WHAT_BOTH);
	CHECK(!decode(&caps, 0, (good[0] & ~CHMU_CAP0_BOTH) | 0x3b00) &&
	      caps.what == CHMU_WHAT_ALL_BOTH);
	CHECK(!decode(&caps, 0, (good[0] & ~CHMU_CAP0_BOTH) | CHMU_CAP0_READS) &&
	      caps.what == CHMU_WHAT_READS);
	CHECK(!decode(&caps, 0, (good[0] & ~CHMU_CAP0_BOTH) | CHMU_CAP0_ALL_READS) &&
	      caps.what == CHMU_WHAT_ALL_READS);
}

static u64 epoch_of(u64 cfg1)
{
	return chmu_epoch_us(chmu_get(cfg1, CHMU_CFG1_SCALE), chmu_get(cfg1, CHMU_CFG1_MULT));
}

static void epochs(void)
{
	struct random r = { 1 };
	u64 bits;
	int i;

	CHECK(chmu_epoch_us(0, 1) == 0 && chmu_epoch_us(6, 1) == 0 && chmu_epoch_us(15, 1) == 0);
	CHECK(chmu_epoch_us(1, 1) == 100 && chmu_epoch_us(5, 4095) == 4095000000ull);
	for (i = 0; i < 100000; i++) {
		u64 us = random_log(&r, 100, 4095000000ull), told;
		u64 scale = 1 + random_below(&r, CHMU_SCALES);

		bits = chmu_epoch_bits(us, scale);
		told = epoch_of(bits);
		CHECK(told <= us && told + us / 409 + chmu_epoch_us(scale, 1) > us);
		CHECK(!told || chmu_get(bits, CHMU_CFG1_SCALE) >= scale);
		CHECK(!(bits & ~(CHMU_CFG1_SCALE | CHMU_CFG1_MULT)));
		/* What can be told exactly is. */
		bits = chmu_epoch_bits(told, scale);
		CHECK(epoch_of(bits) == told);
	}
}

static void choice(void)
{
	struct chmu_caps caps;
	struct chmu_setup setup;
	u64 cfg1 = chmu_put(CHMU_CFG1_UNIT, 13) | chmu_put(CHMU_CFG1_SAMPLING, 3) |
		   chmu_put(CHMU_CFG1_SCALE, 2) | chmu_put(CHMU_CFG1_MULT, 20);

	decode(&caps, -1, 0);
	/* As it comes. */
	setup = chmu_choose(&caps, chmu_put(CHMU_CFG0_THRESHOLD, 7) | CHMU_CFG0_RANDOM, cfg1, 0);
	CHECK(setup.cfg1 == cfg1 && setup.unit_shift == 13 && setup.epoch_us == 20000);
	CHECK(setup.threshold == 7);
	CHECK(setup.cfg0 == (CHMU_WHAT_BOTH | CHMU_CFG0_RANDOM | CHMU_CFG0_OVERFLOW_INT |
			     CHMU_CFG0_FILL_INT));
	CHECK(setup.cfg2 == 512);
	CHECK(chmu_choose(&caps, chmu_put(CHMU_CFG0_THRESHOLD, 7), cfg1, 9).threshold == 9);
	/* It says nothing, or what cannot be. */
	setup = chmu_choose(&caps, 0, 0, 0);
	CHECK(setup.unit_shift == 12 && setup.epoch_us == CHMU_EPOCH_US);
	CHECK(setup.threshold == CHMU_THRESHOLD);
	setup = chmu_choose(&caps, ~0ull, ~0ull, 1);
	CHECK(setup.unit_shift == 12 && setup.epoch_us == CHMU_EPOCH_US);
	CHECK(chmu_get(setup.cfg1, CHMU_CFG1_SAMPLING) == 0 && setup.threshold == 1);
	CHECK(!(setup.cfg0 & (CHMU_CFG0_ENABLE | CHMU_CFG0_RESET | CHMU_CFG0_THRESHOLD)));
	setup = chmu_choose(&caps, 0, chmu_put(CHMU_CFG1_UNIT, 11), 0);
	CHECK(setup.unit_shift == 12);
	setup = chmu_choose(&caps, 0, chmu_put(CHMU_CFG1_UNIT, 5), 0);
	CHECK(setup.unit_shift == 12);
	/* Bounds of the device. */
	caps.max_us = 50000;
	CHECK(chmu_choose(&caps, 0, 0, 0).epoch_us == 50000);
	caps.max_us = 4095000000ull;
	caps.min_scale = 3;
	CHECK(chmu_get(chmu_choose(&caps, 0, 0, 0).cfg1, CHMU_CFG1_SCALE) == 3);
	caps.min_us = 4095000000ull;
	CHECK(chmu_choose(&caps, 0, 0, 0).epoch_us == 4095000000ull);

	CHECK(chmu_threshold_bits(300, 16) == 300ull << 32);
	CHECK(chmu_threshold_bits(300, 8) == 255ull << 32);
	CHECK(chmu_threshold_bits(300, 1) == 1ull << 32);
	CHECK(chmu_threshold_bits(~0u, 63) == (u64)~0u << 32);
}

static void entries(void)
{
	struct random r = { 2 };
	u64 count, n;
	int i, waiting;

	CHECK(!chmu_width_ok(0) && chmu_width_ok(1) && chmu_width_ok(63) && !chmu_width_ok(64));
	CHECK(chmu_entry(0x123450007ull, 16, 12, &count) == 0x12345000 && count == 7);
	CHECK(chmu_entry(~0ull, 16, 12, &count) >= CHMU_ADDRESS_MAX && count == 0xffff);
	CHECK(chmu_entry(~0ull, 63, 31, &count) == 1ull << 31 && count == ~0ull >> 1);
	CHECK(chmu_entry(~0ull, 1, 31, &count) >= CHMU_ADDRESS_MAX && count == 1);
	CHECK(chmu_waiting(0, 0, 2) == 0 && chmu_waiting(1, 0, 2) == 1);
	CHECK(chmu_waiting(5, 4, 100) == 99 && chmu_waiting(99, 0, 100) == 1);
	CHECK(chmu_waiting(100, 0, 100) == -1 && chmu_waiting(0, 100, 100) == -1);
	CHECK(chmu_waiting(65535, 65535, 65535) == -1);
	for (i = 0; i < 100000; i++) {
		u32 size = random_log(&r, 2, 65535), head = random_below(&r, 65536);
		u32 tail = random_below(&r, 65536);

		waiting = chmu_waiting(head, tail, size);
		CHECK(waiting < (int)size);
		if (head < size && tail < size)
			CHECK((head + waiting) % size == tail);
		else
			CHECK(waiting == -1);
		n = chmu_entry(random_u64(&r), 1 + random_below(&r, 63), 8 + random_below(&r, 24),
			       &count);
		CHECK(n <= CHMU_ADDRESS_MAX);
	}
}

static bool wrong(struct chmu_range range, const char *why)
{
	const char *told = chmu_map_check(&range, 1);

	return told && strstr(told, why);
}

static void maps(void)
{
	const struct chmu_range one = { 0, GB, 4 * GB, 1, 0, 0 };
	struct chmu_range map[CHMU_RANGES_MAX + 1];
	unsigned int i;

	for (i = 0; i <= CHMU_RANGES_MAX; i++)
		map[i] = (struct chmu_range){ i * GB, GB, i * GB, 1, 0, 0 };
	CHECK(!chmu_map_check(map, CHMU_RANGES_MAX));
	CHECK(strstr(chmu_map_check(map, CHMU_RANGES_MAX + 1), "too many"));
	CHECK(strstr(chmu_map_check(map, 0), "no ranges"));
	map[1].dpa = GB - 1;
	CHECK(strstr(chmu_map_check(map, 2), "overlap"));
	map[1].dpa = 0;
	CHECK(strstr(chmu_map_check(map, 2), "overlap"));

	/* device address, size, host address, ways, granularity, position */
	CHECK(!chmu_map_check(&one, 1));
	CHECK(wrong((struct chmu_range){ 0, 0, 0, 1, 0, 0 }, "empty"));
	CHECK(wrong((struct chmu_range){ 0, ~0ull, 0, 1, 0, 0 }, "beyond all memory"));
	CHECK(wrong((struct chmu_range){ ~0ull, GB, 0, 1, 0, 0 }, "beyond all memory"));
	CHECK(wrong((struct chmu_range){ CHMU_ADDRESS_MAX, GB, 0, 1, 0, 0 }, "beyond all memory"));
	CHECK(wrong((struct chmu_range){ 0, GB, ~0ull, 1, 0, 0 }, "beyond all host"));
	CHECK(wrong((struct chmu_range){ 0, GB, CHMU_ADDRESS_MAX, 1, 0, 0 }, "beyond all host"));
	CHECK(wrong((struct chmu_range){ 0, CHMU_ADDRESS_MAX / 2, 0, 3, 256, 0 }, "all host"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 0, 0, 0 }, "ways"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 17, 256, 0 }, "ways"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, ~0ull, 256, 0 }, "ways"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 1, 0, 1 }, "position"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 2, 256, 2 }, "position"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 2, 0, 0 }, "granularity"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 3, 768, 2 }, "granularity"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 3, 128, 2 }, "granularity"));
	CHECK(wrong((struct chmu_range){ 0, GB, 0, 3, 1ull << 63, 2 }, "granularity"));
	/* Its last byte would be behind the two times GB + 256 bytes of the range. */
	CHECK(wrong((struct chmu_range){ 0, GB + 256, 0, 2, 4096, 1 }, "granularity"));
	/* Of no use, so anything. */
	CHECK(!wrong((struct chmu_range){ 0, GB, 0, 1, 3, 0 }, ""));
	CHECK(!wrong((struct chmu_range){ 0, GB, 0, 3, 4096, 2 }, ""));
}

/* Host pages of a piece, by each byte of it that begins 256 of them. */
static void by_bytes(const struct chmu_range *map, unsigned int nr, u64 dpa, u64 end, u8 *pages)
{
	unsigned int i;
	u64 at, chunk;

	for (at = dpa; at < end; at += 256) {
		for (i = 0; i < nr; i++) {
			const struct chmu_range *r = &map[i];

			if (at < r->dpa || at >= r->dpa + r->size)
				continue;
			chunk = (at - r->dpa) / (r->ways > 1 ? r->granularity : r->size);
			if (r->ways == 1)
				pages[(r->hpa + at - r->dpa) >> PAGE_SHIFT] = 1;
			else
				pages[(r->hpa + (chunk * r->ways + r->position) * r->granularity +
				       (at - r->dpa) % r->granularity) >> PAGE_SHIFT] = 1;
		}
	}
}

#define HOST_PAGES	(1u << 16)

/* Any ranges, any piece: just the host pages that its bytes are in, in few steps. */
static void translation(u64 seed)
{
	static u8 expected[HOST_PAGES], found[HOST_PAGES];
	struct random r = { seed };
	unsigned int nr = 1 + random_below(&r, 4), i, steps = 0;
	struct chmu_range map[4];
	u64 dpa = random_below(&r, 16) * PAGE, host = 0, at, end, pfn, n, from;
	u64 most = PAGE << random_below(&r, 10);

	for (i = 0; i < nr; i++) {
		map[i] = (struct chmu_range){
			.dpa = dpa,
			.size = (1 + random_below(&r, 64)) * 16384,
			.hpa = host + random_below(&r, 16) * PAGE,
			.ways = 1 + random_below(&r, 16),
			.granularity = 256 << random_below(&r, 7),
		};
		map[i].position = random_below(&r, map[i].ways);
		dpa += map[i].size + random_below(&r, 3) * 8 * PAGE;
		host = map[i].hpa + map[i].size * map[i].ways;
	}
	CHECK(!chmu_map_check(map, nr));
	if (!CHECK(host < HOST_PAGES * PAGE))
		return;
	from = random_below(&r, dpa / PAGE) * PAGE;
	end = from + (PAGE << random_below(&r, 8));
	memset(expected, 0, sizeof(expected));
	memset(found, 0, sizeof(found));
	by_bytes(map, nr, from, end, expected);
	at = from;
	while ((n = chmu_map_next(map, nr, &at, end, most, PAGE_SHIFT, &pfn))) {
		if (!CHECK(pfn + n <= HOST_PAGES) || !CHECK(at <= end))
			return;
		CHECK(n <= (most >> PAGE_SHIFT) * 16 + 1);
		memset(found + pfn, 1, n);
		if (!CHECK(++steps <= (end - from) / 256))
			return;
	}
	CHECK(at == end);
	CHECK(!memcmp(found, expected, sizeof(found)));
}

/* Whatever registers and map there are: no undefined behaviour, and bounded work. */
static void anything(u64 seed)
{
	struct random r = { seed };
	struct chmu_range map[CHMU_RANGES_MAX];
	unsigned int nr = random_below(&r, CHMU_RANGES_MAX + 1), i;
	u64 cap[4], at, end, pfn, n, pages = 0, steps = 0, count, room, length, most;
	struct chmu_caps caps;
	struct chmu_setup setup;

	for (i = 0; i < 4; i++)
		cap[i] = random_u64(&r) & random_u64(&r);
	if (random_once_in(&r, 2)) {
		/* Nearly right. */
		memcpy(cap, good, sizeof(cap));
		cap[random_below(&r, 4)] ^= 1ull << random_below(&r, 64);
	}
	room = random_log(&r, CHMU_REGISTERS, 1 << 20);
	length = random_log(&r, CHMU_REGISTERS, room);
	if (!chmu_decode(&caps, cap, length, room, PAGE_SHIFT)) {
		CHECK(caps.entries >= 2 && caps.list >= CHMU_REGISTERS);
		CHECK(caps.list + caps.entries * 8ull <= room);
		CHECK(!caps.bitmap_words || caps.bitmap >= CHMU_REGISTERS);
		CHECK(!caps.bitmap_words || caps.bitmap + caps.bitmap_words * 8 <= length);
		CHECK(!caps.bitmap_words || caps.bitmap >= caps.list + caps.entries * 8 ||
		      caps.bitmap + caps.bitmap_words * 8 <= caps.list);
		CHECK(caps.units && !(caps.units & 0xf));
		setup = chmu_choose(&caps, random_u64(&r), random_u64(&r), random_below(&r, 3));
		CHECK(caps.units >> (setup.unit_shift - 8) & 1);
		CHECK(setup.threshold);
		CHECK(setup.epoch_us >= caps.min_us && setup.epoch_us <= caps.max_us);
		CHECK(setup.unit_shift >= PAGE_SHIFT && setup.unit_shift <= CHMU_UNIT_SHIFT_MAX);
	}

	for (i = 0; i < nr; i++)
		map[i] = (struct chmu_range){
			.dpa = i * GB + random_below(&r, GB),
			.size = random_log(&r, 1, GB),
			.hpa = random_u64(&r) >> random_below(&r, 64),
			.ways = random_below(&r, 18),
			.granularity = 1ull << random_below(&r, 64),
			.position = random_below(&r, 17),
		};
	/* Nearly all ranges are of whole pieces. */
	for (i = 0; i < nr; i++)
		if (map[i].size >= map[i].granularity && !random_once_in(&r, 16))
			map[i].size -= map[i].size % map[i].granularity;
	while (nr && chmu_map_check(map, nr))
		nr--;
	at = chmu_entry(random_u64(&r), 1 + random_below(&r, 63), 12, &count);
	if (random_once_in(&r, 2) && nr)
		at = map[random_below(&r, nr)].dpa & ~(PAGE - 1);
	end = at + (PAGE << random_below(&r, 6));
	most = PAGE << random_below(&r, 6);
	while ((n = chmu_map_next(map, nr, &at, end, most, PAGE_SHIFT, &pfn))) {
		pages += n;
		CHECK(pfn + n <= 2 * (CHMU_ADDRESS_MAX >> PAGE_SHIFT));
		if (!CHECK(++steps <= 64 * 16 + CHMU_RANGES_MAX))
			break;
	}
	/* Pieces of less than a page count for a page each, and what is cut for one more. */
	CHECK(pages <= 64 * 16 + 64 * CHMU_WAYS_MAX + 64 + CHMU_RANGES_MAX);
}

/* The largest unit, in the smallest pieces or in one: each step is small, and none is lost. */
static void largest_unit(void)
{
	static const struct chmu_range maps[] = {
		{ 0, 2 * GB, 0, 16, 512, 3 },	/* each piece in a page of its own */
		{ 0, 2 * GB, 0, 16, 256, 3 },	/* each page has a piece */
		{ 0, 2 * GB, 0, 1, 0, 0 },
	};
	static const u64 steps[] = { 2 * GB / 512, 2 * GB / (512 * PAGE), 2 * GB / (512 * PAGE) };
	static const u64 all[] = { 2 * GB / 512, 16 * 2 * GB / PAGE, 2 * GB / PAGE };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		u64 at = 0, pfn, n, nr = 0, pages = 0;

		while ((n = chmu_map_next(&maps[i], 1, &at, 2 * GB, 512 * PAGE, PAGE_SHIFT,
					  &pfn))) {
			if (!CHECK(n <= 512 * 16))
				return;
			pages += n;
			nr++;
		}
		CHECK(nr == steps[i] && pages == all[i]);
	}
}

static void nonsense(void)
{
	unsigned int nr = 0, i;

	for (i = 1; i <= CHMU_NONSENSE_MAX; i++)
		nr = chmu_nonsense(nr, false, true);
	CHECK(nr == CHMU_NONSENSE_MAX);
	CHECK(chmu_nonsense(nr - 1, false, false) == CHMU_NONSENSE_MAX - 1);
	CHECK(chmu_nonsense(nr - 1, true, true) == 0 && chmu_nonsense(nr - 1, true, false) == 0);
}

/* The block is memory, and all of it is within its BAR. */
static void test_bars(void)
{
	const unsigned long memory = IORESOURCE_MEM;

	CHECK(!chmu_bar_refuses(memory, 0, CHMU_INSTANCE));
	CHECK(!chmu_bar_refuses(memory, 1 << 20, 2 << 20));
	CHECK(chmu_bar_refuses(memory, 0, 0));
	CHECK(chmu_bar_refuses(memory, 4096, 4096));
	CHECK(chmu_bar_refuses(memory, 4096, 4095));
	CHECK(chmu_bar_refuses(memory, 4096, 4096 + CHMU_INSTANCE - 1));
	CHECK(chmu_bar_refuses(memory, ~0ull - 4, 4096));
	CHECK(chmu_bar_refuses(IORESOURCE_IO, 0, 1 << 20));
	CHECK(chmu_bar_refuses(memory | IORESOURCE_UNSET, 0, 1 << 20));
	CHECK(chmu_bar_refuses(0, 0, 1 << 20));
}

int main(void)
{
	u64 seed;

	largest_unit();
	nonsense();

	capabilities();
	epochs();
	choice();
	entries();
	maps();
	for (seed = 0; seed < 3000; seed++)
		translation(seed);
	for (seed = 0; seed < 300000; seed++)
		anything(seed);
	test_bars();
	return check_report();
}
