// SPDX-License-Identifier: GPL-2.0
#include "hmu.h"

#include <stdlib.h>
#include <string.h>

#include "sources/chmu/layout.h"
#include "sources/vhmu/layout.h"

#define BLOCK		4096	/* where the register block begins */
#define LENGTH		0x100	/* of an instance, with its bitmap */
#define BITMAP		0x80
#define BITMAP_BITS	((LENGTH - BITMAP) * 8)
#define RANGE_BYTES	(UINT64_C(1) << CHMU_RANGE_SHIFT)

static uint64_t get64(const uint8_t *at)
{
	return *(const volatile uint64_t *)at;
}

static void put64(uint8_t *at, uint64_t value)
{
	*(volatile uint64_t *)at = value;
}

static uint16_t get16(const uint8_t *at)
{
	return *(const volatile uint16_t *)at;
}

static void put16(uint8_t *at, uint16_t value)
{
	*(volatile uint16_t *)at = value;
}

static uint64_t get(uint64_t value, uint64_t field)
{
	return (value & field) >> __builtin_ctzll(field);
}

static uint64_t put(uint64_t field, uint64_t value)
{
	return (value << __builtin_ctzll(field)) & field;
}

/* splitmix64 */
static uint64_t draw(struct hmu_instance *i)
{
	uint64_t z = i->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

size_t hmu_bytes(const struct hmu_config *cfg, int nr)
{
	return BLOCK + CHMU_INSTANCE + nr * (LENGTH + cfg->entries * CHMU_ENTRY_BYTES);
}

/* ---- what the guest finds ---- */

/* Scale and multiplier of an epoch that can be told exactly. */
static void split_epoch(uint64_t us, uint64_t *scale, uint64_t *mult)
{
	*mult = us / 100;
	for (*scale = 1; *mult > CHMU_MULT_MAX; ++*scale)
		*mult /= 10;
}

static uint64_t epoch_us(uint64_t scale, uint64_t mult)
{
	uint64_t us = 100 * mult;

	if (!scale || scale > CHMU_SCALES)
		return 0;
	while (--scale)
		us *= 10;
	return us;
}

static void put_capabilities(const struct hmu_instance *i)
{
	uint64_t min_scale, min_mult, max_scale, max_mult;
	uint64_t units = (2ull << HMU_UNIT_MAX_SHIFT) - (1ull << HMU_UNIT_MIN_SHIFT);

	split_epoch(HMU_EPOCH_MIN_US, &min_scale, &min_mult);
	split_epoch(HMU_EPOCH_MAX_US, &max_scale, &max_mult);
	put64(i->regs + CHMU_CAP0,
	      CHMU_CAP0_READS | CHMU_CAP0_WRITES | CHMU_CAP0_BOTH |
	      put(CHMU_CAP0_MIN_SCALE, min_scale) | put(CHMU_CAP0_MIN_MULT, min_mult) |
	      put(CHMU_CAP0_MAX_SCALE, max_scale) | put(CHMU_CAP0_MAX_MULT, max_mult) |
	      put(CHMU_CAP0_ENTRIES, i->entries));
	put64(i->regs + CHMU_CAP1,
	      put(CHMU_CAP1_UNITS, units >> CHMU_UNIT_SHIFT_MIN) |
	      put(CHMU_CAP1_SAMPLING, 0xffff) | CHMU_CAP1_EPOCHS | CHMU_CAP1_RANDOM);
	put64(i->regs + CHMU_BITMAP_OFFSET, BITMAP);
	put64(i->regs + CHMU_LIST_OFFSET, i->list);
}

static void put_configuration(const struct hmu_instance *i, const struct hmu_config *cfg)
{
	uint64_t scale, mult;

	split_epoch(cfg->epoch_us, &scale, &mult);
	put64(i->regs + CHMU_CFG0,
	      CHMU_WHAT_BOTH | (cfg->sampling > 1 ? CHMU_CFG0_RANDOM : 0) |
	      put(CHMU_CFG0_THRESHOLD, cfg->threshold));
	put64(i->regs + CHMU_CFG1,
	      put(CHMU_CFG1_UNIT, __builtin_ctzll(cfg->unit)) |
	      put(CHMU_CFG1_SAMPLING, __builtin_ctzll(cfg->sampling)) |
	      put(CHMU_CFG1_SCALE, scale) | put(CHMU_CFG1_MULT, mult));
}

static void put_ranges_bits(const struct hmu_instance *i, uint64_t bytes)
{
	uint64_t bit = i->dpa / RANGE_BYTES, end = (i->dpa + bytes - 1) / RANGE_BYTES;
	uint8_t *word;

	for (; bit <= end && bit < BITMAP_BITS; bit++) {
		word = i->regs + BITMAP + bit / 64 * 8;
		put64(word, get64(word) | 1ull << bit % 64);
	}
}

static void put_range(uint8_t *shared, uint64_t dpa, uint64_t size, uint64_t hpa)
{
	uint64_t nr = get64(shared + VHMU_NR_RANGES_AT);
	uint8_t *range = shared + VHMU_RANGES_AT + nr * VHMU_RANGE_BYTES;

	put64(range + VHMU_RANGE_DPA, dpa);
	put64(range + VHMU_RANGE_SIZE, size);
	put64(range + VHMU_RANGE_HPA, hpa);
	put64(range + VHMU_RANGE_WAYS, 1);
	put64(shared + VHMU_NR_RANGES_AT, nr + 1);
}

/* A node's memory, from @first to @end of RAM: the PCI hole may be in it. */
static void put_memory(uint8_t *shared, const struct nodemap *map, uint64_t dpa, uint64_t first,
		       uint64_t end)
{
	uint64_t split = end < map->below4g ? end : map->below4g;

	if (first < split) {
		put_range(shared, dpa, split - first, first);
		dpa += split - first;
		first = split;
	}
	if (first < end)
		put_range(shared, dpa, end - first, first - map->below4g + NODEMAP_4G);
}

static void put_status(struct hmu_instance *i)
{
	i->status = (i->on ? CHMU_STATUS_ENABLED : 0) | put(CHMU_STATUS_WIDTH, HMU_WIDTH) |
		    (i->overflow ? CHMU_STATUS_OVERFLOW : 0);
	put64(i->regs + CHMU_STATUS, i->status);
}

static bool instance_init(struct hmu_instance *i, const struct hmu_config *cfg, uint64_t bytes)
{
	size_t units = bytes >> HMU_UNIT_MIN_SHIFT;

	i->entries = cfg->entries;
	i->loss = cfg->loss;
	i->random = cfg->seed * 1000003 + i->first;
	i->count = calloc(units, sizeof(*i->count));
	i->touched = calloc(units, sizeof(*i->touched));
	put_capabilities(i);
	put_configuration(i, cfg);
	put_ranges_bits(i, bytes);
	put_status(i);
	i->cfg0 = get64(i->regs + CHMU_CFG0);
	return i->count && i->touched;
}

bool hmu_init(struct hmu *h, const struct hmu_config *cfg, const struct nodemap *map,
	      unsigned int slow, uint8_t *shared)
{
	int nr = __builtin_popcount(slow), at = 0, n;
	uint64_t first = 0, dpa = 0;

	memset(h, 0, sizeof(*h));
	memset(shared, 0, hmu_bytes(cfg, nr));
	for (n = 0; n < map->nr; first = map->end[n++]) {
		struct hmu_instance *i = &h->node[n];

		if (!(slow >> n & 1))
			continue;
		i->regs = shared + BLOCK + CHMU_INSTANCE + at * LENGTH;
		/* Lists are behind all instances. */
		i->list = (nr - at) * LENGTH + at * cfg->entries * CHMU_ENTRY_BYTES;
		i->first = first;
		i->dpa = dpa;
		if (!instance_init(i, cfg, map->end[n] - first))
			return false;
		put_memory(shared, map, dpa, first, map->end[n]);
		dpa += (map->end[n] - first + RANGE_BYTES - 1) / RANGE_BYTES * RANGE_BYTES;
		at++;
	}
	put64(shared + BLOCK + CHMU_COMMON_CAP0, 1 | put(CHMU_COMMON_INSTANCES, nr));
	put64(shared + BLOCK + CHMU_COMMON_CAP1, put(CHMU_COMMON_LENGTH, LENGTH));
	put64(shared + VHMU_BLOCK_AT, BLOCK);
	put64(shared + VHMU_VERSION_AT, VHMU_VERSION);
	put64(shared + VHMU_MAGIC_AT, VHMU_MAGIC);
	h->present = true;
	return true;
}

void hmu_free(struct hmu *h)
{
	int n;

	for (n = 0; n < NODEMAP_MAX_NODES; n++) {
		free(h->node[n].count);
		free(h->node[n].touched);
	}
}

/* ---- counting ---- */

void hmu_count(struct hmu_instance *i, uint64_t off, bool write)
{
	uint64_t unit = (off - i->first) >> i->shift;

	if (!(i->what & (write ? 2 : 1)))
		return;
	if (i->sampling && ((i->fixed ? ++i->passed : draw(i)) & i->sampling))
		return;
	if (!i->count[unit])
		i->touched[i->nr_touched++] = unit;
	if (i->count[unit] < HMU_COUNT_MAX)
		i->count[unit]++;
}

static void forget(struct hmu_instance *i)
{
	uint32_t n;

	for (n = 0; n < i->nr_touched; n++)
		i->count[i->touched[n]] = 0;
	i->nr_touched = 0;
}

static bool in_ranges(const struct hmu_instance *i, uint64_t dpa)
{
	uint64_t bit = dpa / RANGE_BYTES;

	return bit < BITMAP_BITS && get64(i->regs + BITMAP + bit / 64 * 8) >> bit % 64 & 1;
}

/* Into the list, unless it is full. */
static void report(struct hmu_instance *i, uint64_t dpa, uint16_t count)
{
	uint16_t head = get16(i->regs + CHMU_HEAD), tail = get16(i->regs + CHMU_TAIL);
	uint16_t next = (tail + 1) % i->entries;

	/* What the guest wrote may be nonsense. */
	if (next == head || head >= i->entries || tail >= i->entries) {
		i->overflow = true;
		return;
	}
	put64(i->regs + i->list + tail * CHMU_ENTRY_BYTES, dpa >> i->shift << HMU_WIDTH | count);
	put16(i->regs + CHMU_TAIL, next);
}

static void end_epoch(struct hmu_instance *i, int64_t now_ns)
{
	uint64_t threshold = get(i->cfg0, CHMU_CFG0_THRESHOLD), dpa;
	uint32_t n, unit;

	for (n = 0; n < i->nr_touched; n++) {
		unit = i->touched[n];
		dpa = i->dpa + ((uint64_t)unit << i->shift);
		if (i->count[unit] < threshold || !in_ranges(i, dpa))
			continue;
		if (!i->loss || draw(i) % 100 >= i->loss)
			report(i, dpa, i->count[unit]);
	}
	forget(i);
	/* Epochs follow one another; those without an access are skipped. */
	i->next_ns += ((now_ns - i->next_ns) / i->epoch_ns + 1) * i->epoch_ns;
}

/* ---- what the guest asks for ---- */

static void empty_list(struct hmu_instance *i)
{
	forget(i);
	i->overflow = false;
	put16(i->regs + CHMU_HEAD, 0);
	put16(i->regs + CHMU_TAIL, 0);
}

/* By CFG0 and CFG1; stays off if these ask for what there is not. */
static void turn_on(struct hmu_instance *i, int64_t now_ns)
{
	static const uint8_t kinds[] = {
		[CHMU_WHAT_READS] = 1, [CHMU_WHAT_WRITES] = 2, [CHMU_WHAT_BOTH] = 3,
	};
	uint64_t cfg1 = get64(i->regs + CHMU_CFG1);
	uint64_t shift = get(cfg1, CHMU_CFG1_UNIT), what = get(i->cfg0, CHMU_CFG0_WHAT);
	uint64_t us = epoch_us(get(cfg1, CHMU_CFG1_SCALE), get(cfg1, CHMU_CFG1_MULT));

	if (what >= sizeof(kinds) || !kinds[what] || shift < HMU_UNIT_MIN_SHIFT ||
	    shift > HMU_UNIT_MAX_SHIFT || us < HMU_EPOCH_MIN_US || us > HMU_EPOCH_MAX_US ||
	    get(cfg1, CHMU_CFG1_MODE) != CHMU_MODE_EPOCHS)
		return;
	empty_list(i);
	i->what = kinds[what];
	i->shift = shift;
	i->sampling = (1u << get(cfg1, CHMU_CFG1_SAMPLING)) - 1;
	i->fixed = !(i->cfg0 & CHMU_CFG0_RANDOM);
	i->passed = 0;
	i->epoch_ns = us * 1000;
	i->next_ns = now_ns + i->epoch_ns;
	i->on = true;
}

static void obey(struct hmu_instance *i, int64_t now_ns)
{
	uint64_t status = get64(i->regs + CHMU_STATUS);

	/* The guest wrote there: ones clear. */
	if (status != i->status && (status & CHMU_STATUS_OVERFLOW))
		i->overflow = false;
	i->cfg0 = get64(i->regs + CHMU_CFG0);
	if (i->cfg0 & CHMU_CFG0_RESET) {
		i->cfg0 &= ~CHMU_CFG0_RESET;
		put64(i->regs + CHMU_CFG0, i->cfg0);
		empty_list(i);
	}
	if (!(i->cfg0 & CHMU_CFG0_ENABLE)) {
		forget(i);
		i->on = false;
	} else if (!i->on) {
		turn_on(i, now_ns);
	}
}

void hmu_look(struct hmu *h, int64_t now_ns)
{
	struct hmu_instance *i;

	for (i = h->node; i < h->node + NODEMAP_MAX_NODES; i++) {
		bool written, over;

		if (!i->regs)
			continue;
		written = get64(i->regs + CHMU_CFG0) != i->cfg0 ||
			  get64(i->regs + CHMU_STATUS) != i->status;
		if (written)
			obey(i, now_ns);
		over = i->on && now_ns >= i->next_ns;
		if (over)
			end_epoch(i, now_ns);
		if (written || over)
			put_status(i);
	}
}
