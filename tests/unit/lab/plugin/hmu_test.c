// SPDX-License-Identifier: GPL-2.0
/* hmu: the list against plain counts; what the guest writes, right or wrong, is survived. */
#include "hmu.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sources/chmu/layout.h"
#include "sources/vhmu/layout.h"

#define MB		(UINT64_C(1) << 20)
#define PAGE		4096
#define EPOCH_NS	1000000
#define PAGES		(64 * MB / PAGE)

static const struct hmu_config usual = {
	.unit = PAGE, .epoch_us = EPOCH_NS / 1000, .threshold = 3, .sampling = 1, .entries = 100,
	.seed = 7,
};

/* Three nodes, the last two slow; the hole below 4 GiB goes through the second. */
static struct hmu h;
static struct nodemap map;
static uint8_t *shared;
static uint64_t start[3];
static int64_t now;

static uint64_t get64(const uint8_t *at)
{
	return *(const uint64_t *)at;
}

static uint16_t *head(const struct hmu_instance *i)
{
	return (uint16_t *)(i->regs + CHMU_HEAD);
}

static uint16_t *tail(const struct hmu_instance *i)
{
	return (uint16_t *)(i->regs + CHMU_TAIL);
}

static uint64_t *cfg0(const struct hmu_instance *i)
{
	return (uint64_t *)(i->regs + CHMU_CFG0);
}

static uint64_t status(const struct hmu_instance *i)
{
	return get64(i->regs + CHMU_STATUS);
}

static void device(const struct hmu_config *cfg)
{
	static const uint64_t size[] = { 128 * MB, 256 * MB, 128 * MB };

	hmu_free(&h);
	free(shared);
	/* No byte more than it asks for. */
	shared = malloc(hmu_bytes(cfg, 2));
	memset(shared, 0x55, hmu_bytes(cfg, 2));
	nodemap_init(&map, 192 * MB, size, 3);
	CHECK(hmu_init(&h, cfg, &map, 6, shared));
	start[1] = map.end[0];
	start[2] = map.end[1];
	now = 12345;
}

static void look(int64_t later)
{
	now += later;
	hmu_look(&h, now);
}

static void turn_on(struct hmu_instance *i)
{
	*cfg0(i) |= CHMU_CFG0_ENABLE;
	look(0);
}

static void touch(int node, uint64_t page, int times)
{
	while (times--)
		hmu_access(&h.node[node], start[node] + page * PAGE + 64 * (times % 64), false);
}

/* The entry that is next, which is taken. */
static bool take(struct hmu_instance *i, uint64_t *unit, uint64_t *count)
{
	uint64_t entry = get64(i->regs + i->list + *head(i) * 8);

	if (*head(i) == *tail(i))
		return false;
	*head(i) = (*head(i) + 1) % i->entries;
	*unit = entry >> HMU_WIDTH;
	*count = entry & HMU_COUNT_MAX;
	return true;
}

static void what_the_guest_finds(void)
{
	const uint8_t *block, *range;

	device(&usual);
	block = shared + get64(shared + VHMU_BLOCK_AT);
	range = shared + VHMU_RANGES_AT;
	CHECK(get64(shared + VHMU_MAGIC_AT) == VHMU_MAGIC && get64(shared + VHMU_VERSION_AT) == 1);
	CHECK(get64(block + CHMU_COMMON_CAP0) == 0x201);
	CHECK(h.node[1].regs == block + CHMU_INSTANCE);
	CHECK(h.node[2].regs == h.node[1].regs + get64(block + CHMU_COMMON_CAP1));
	CHECK(!h.node[0].regs);
	/* 64 MiB below the hole, 192 behind it, and the other node behind these. */
	CHECK(get64(shared + VHMU_NR_RANGES_AT) == 3);
	CHECK(get64(range + VHMU_RANGE_DPA) == 0 && get64(range + VHMU_RANGE_SIZE) == 64 * MB);
	CHECK(get64(range + VHMU_RANGE_HPA) == 128 * MB && get64(range + VHMU_RANGE_WAYS) == 1);
	range += VHMU_RANGE_BYTES;
	CHECK(get64(range + VHMU_RANGE_DPA) == 64 * MB);
	CHECK(get64(range + VHMU_RANGE_HPA) == 4096 * MB);
	range += VHMU_RANGE_BYTES;
	CHECK(get64(range + VHMU_RANGE_DPA) == 256 * MB);
	CHECK(get64(range + VHMU_RANGE_SIZE) == 128 * MB);
	CHECK(get64(range + VHMU_RANGE_HPA) == 4096 * MB + 192 * MB);
	CHECK(get64(h.node[1].regs + get64(h.node[1].regs + CHMU_BITMAP_OFFSET)) == 1);
	CHECK(get64(h.node[2].regs + get64(h.node[2].regs + CHMU_BITMAP_OFFSET)) == 2);
	CHECK(get64(h.node[1].regs + CHMU_LIST_OFFSET) == 0x200);
	CHECK(get64(h.node[2].regs + CHMU_LIST_OFFSET) == 0x100 + 800);
	CHECK(*cfg0(&h.node[1]) == (CHMU_WHAT_BOTH | UINT64_C(3) << 32));
	CHECK(get64(h.node[1].regs + CHMU_CFG1) == (12 | UINT64_C(1) << 48 | UINT64_C(10) << 52));
	CHECK(status(&h.node[1]) == (uint64_t)HMU_WIDTH << 32);
}

/* Some accesses to some pages: all that reach the threshold, none else, just their counts. */
static void counts(void)
{
	static int times[PAGES];
	struct hmu_config cfg = usual;
	struct hmu_instance *i = &h.node[2];
	uint64_t unit, count;
	int epoch, n, hot, found;

	cfg.entries = 1000;
	device(&cfg);
	touch(2, 5, 100);
	look(2 * EPOCH_NS);
	CHECK(*tail(i) == 0 && status(i) == (uint64_t)HMU_WIDTH << 32);	/* off */
	turn_on(i);
	CHECK(status(i) & CHMU_STATUS_ENABLED);
	for (epoch = 0; epoch < 50; epoch++) {
		memset(times, 0, sizeof(times));
		for (n = 0, hot = 0; n < 2000; n++) {
			int page = rand() % 700 + 1000 * (n % 3);

			touch(2, page, 1);
			hot += ++times[page] == 3;
		}
		look(EPOCH_NS / 2);
		CHECK(*head(i) == *tail(i));
		look(EPOCH_NS / 2);
		for (found = 0; take(i, &unit, &count); found++)
			CHECK((int)count == times[unit - 256 * MB / PAGE]);
		CHECK(found == hot);
		CHECK(!(status(i) & CHMU_STATUS_OVERFLOW));
	}
	/* Writes count like reads, and more than fits does not wrap. */
	for (n = 0; n < 70000; n++)
		hmu_access(i, start[2] + 9 * PAGE, n & 1);
	/* Many epochs later: the one that was open ends, the others were idle. */
	look(100 * EPOCH_NS + 5);
	CHECK(take(i, &unit, &count) && unit == 256 * MB / PAGE + 9 && count == HMU_COUNT_MAX);
	CHECK(!take(i, &unit, &count));
	CHECK(i->next_ns > now && i->next_ns <= now + EPOCH_NS);
	CHECK(*tail(&h.node[1]) == 0);
}

static void full_list(void)
{
	struct hmu_instance *i = &h.node[1];
	uint64_t unit, count;
	int n;

	device(&usual);
	turn_on(i);
	for (n = 0; n < 150; n++)
		touch(1, n, 5);
	look(EPOCH_NS);
	CHECK(*tail(i) == 99 && (status(i) & CHMU_STATUS_OVERFLOW));
	/* As the driver acknowledges it: just that bit. */
	for (n = 0; take(i, &unit, &count); n++)
		CHECK((int)unit == n && count == 5);
	CHECK(n == 99);
	*(uint64_t *)(i->regs + CHMU_STATUS) = CHMU_STATUS_OVERFLOW;
	look(10);
	CHECK(status(i) == (CHMU_STATUS_ENABLED | (uint64_t)HMU_WIDTH << 32));
	/* It wraps. */
	for (n = 0; n < 50; n++)
		touch(1, n, 5);
	look(EPOCH_NS);
	CHECK(*tail(i) == 49 && !(status(i) & CHMU_STATUS_OVERFLOW));
	/* Off, and on again: empty. */
	*cfg0(i) &= ~CHMU_CFG0_ENABLE;
	look(10);
	CHECK(!(status(i) & CHMU_STATUS_ENABLED));
	touch(1, 1, 50);
	turn_on(i);
	CHECK(*head(i) == 0 && *tail(i) == 0);
	look(EPOCH_NS);
	CHECK(*tail(i) == 0);
	/* Reset: counts and list. */
	touch(1, 1, 50);
	look(EPOCH_NS);
	touch(1, 2, 50);
	CHECK(*tail(i) == 1);
	*cfg0(i) |= CHMU_CFG0_RESET;
	look(10);
	CHECK(*tail(i) == 0 && !(*cfg0(i) & CHMU_CFG0_RESET));
	CHECK(status(i) & CHMU_STATUS_ENABLED);
	look(EPOCH_NS);
	CHECK(*tail(i) == 0);
}

/* How many of so many accesses to a page are counted. */
static uint64_t counted(const struct hmu_config *cfg, int accesses, bool fixed)
{
	struct hmu_instance *i = &h.node[1];
	uint64_t unit, count;

	device(cfg);
	if (fixed)
		*cfg0(i) &= ~CHMU_CFG0_RANDOM;
	turn_on(i);
	touch(1, 3, accesses);
	look(EPOCH_NS);
	return take(i, &unit, &count) ? count : 0;
}

static void sampling_and_loss(void)
{
	struct hmu_config cfg = usual;
	struct hmu_instance *i = &h.node[1];
	uint64_t first, n;

	CHECK(counted(&cfg, 1000, false) == 1000);
	cfg.sampling = 8;
	CHECK(counted(&cfg, 8000, true) == 1000);
	first = counted(&cfg, 8000, false);
	CHECK(first > 850 && first < 1150 && first != 1000);
	CHECK(counted(&cfg, 8000, false) == first);
	cfg.seed++;
	CHECK(counted(&cfg, 8000, false) != first);

	cfg = usual;
	cfg.entries = 20000;
	cfg.loss = 30;
	device(&cfg);
	turn_on(i);
	for (n = 0; n < 10000; n++)
		touch(1, n, 3);
	look(EPOCH_NS);
	first = *tail(i);
	CHECK(first > 6700 && first < 7300);
	CHECK(!(status(i) & CHMU_STATUS_OVERFLOW));
	cfg.loss = 100;
	device(&cfg);
	turn_on(i);
	touch(1, 1, 3);
	look(EPOCH_NS);
	CHECK(*tail(i) == 0);
}

/* Units, kinds of access and ranges are the guest's choice, if there are such. */
static void choices(void)
{
	struct hmu_instance *i = &h.node[2];
	uint64_t *cfg1, unit, count, *bitmap;

	device(&usual);
	cfg1 = (uint64_t *)(i->regs + CHMU_CFG1);
	bitmap = (uint64_t *)(i->regs + get64(i->regs + CHMU_BITMAP_OFFSET));
	*cfg1 = (*cfg1 & ~CHMU_CFG1_UNIT) | 16;
	*cfg0(i) = CHMU_WHAT_WRITES | UINT64_C(2) << 32;
	turn_on(i);
	touch(2, 20, 10);
	hmu_access(i, start[2] + 17 * PAGE, true);
	hmu_access(i, start[2] + 31 * PAGE, true);
	look(EPOCH_NS);
	CHECK(take(i, &unit, &count) && unit == (256 * MB >> 16) + 1 && count == 2);
	CHECK(!take(i, &unit, &count));
	*bitmap = 1;
	hmu_access(i, start[2] + 17 * PAGE, true);
	hmu_access(i, start[2] + 31 * PAGE, true);
	look(EPOCH_NS);
	CHECK(!take(i, &unit, &count));

#define STAYS_OFF(value0, value1)	({		\
	device(&usual);					\
	*(uint64_t *)(i->regs + CHMU_CFG1) = (value1);	\
	*cfg0(i) = (value0);				\
	turn_on(i);					\
	!i->on && !(status(i) & CHMU_STATUS_ENABLED);	\
})
	CHECK(!STAYS_OFF(CHMU_WHAT_READS, 12 | UINT64_C(2) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(0, 12 | UINT64_C(2) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(4, 12 | UINT64_C(2) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(255, 12 | UINT64_C(2) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(3, 11 | UINT64_C(2) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(3, 22 | UINT64_C(2) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(3, 12 | UINT64_C(0) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(3, 12 | UINT64_C(6) << 48 | UINT64_C(1) << 52));
	CHECK(STAYS_OFF(3, 12 | UINT64_C(2) << 48));
	CHECK(STAYS_OFF(3, 12 | UINT64_C(5) << 48 | UINT64_C(11) << 52));
	CHECK(STAYS_OFF(3, 12 | CHMU_MODE_ALWAYS_ON * (UINT64_C(1) << 40) | UINT64_C(2) << 48 |
			   UINT64_C(1) << 52));
}

/* A guest that writes anything anywhere: the device goes on, within its memory. */
static void nonsense(void)
{
	struct hmu_config cfg = usual;
	size_t bytes;
	int n;

	cfg.sampling = 4;
	cfg.loss = 10;
	device(&cfg);
	bytes = hmu_bytes(&cfg, 2);
	for (n = 0; n < 300000; n++) {
		struct hmu_instance *i = &h.node[1 + rand() % 2];

		switch (rand() % 6) {
		case 0:
			shared[rand() % bytes] = rand();
			break;
		case 1:
			i->regs[rand() % 0x100] = rand();
			break;
		case 2:
			*head(i) = rand();
			break;
		case 3:
			turn_on(i);
			break;
		default:
			touch(1 + rand() % 2, rand() % 1000, rand() % 20);
		}
		look(rand() % EPOCH_NS);
	}
	/* And does as it is told again. */
	device(&usual);
	turn_on(&h.node[1]);
	touch(1, 1, 3);
	look(EPOCH_NS);
	CHECK(*tail(&h.node[1]) == 1);
}

int main(void)
{
	srand(8);
	what_the_guest_finds();
	counts();
	full_list();
	sampling_and_loss();
	choices();
	nonsense();
	hmu_free(&h);
	free(shared);
	return check_report();
}
