// SPDX-License-Identifier: GPL-2.0
/*
 * A hotness monitoring unit that may say anything: its capabilities, its lists, and now and then a
 * register that is not what was written there. The driver reads and writes only what is the unit's,
 * reports only memory that the unit's map has, and each poll is bounded.
 */
#include <errno.h>

#include "fuzz.h"
#include "sources/chmu/unit.c"

/* Where the block of registers seems to be mapped. */
#define BASE		((u8 *)0x100000)
#define INSTANCES_MAX	255
#define POLLS_MAX	20
/* What a device says instead of the truth: one read in so many, by a byte of the input. */
#define LIE_FROM	0xf4

struct tunable pghot_scan_cpu_percent = { .value = 50 };
unsigned long jiffies;

/* An instance as it is. */
struct instance {
	u64 cap[4];
	u64 cfg[3];
	u64 flags;
	u16 head;
	u16 tail;
	u8 width;
	bool others;			/* it was on before */
};

static struct input *input;
static u64 common[2], room, length, nr;
static struct instance instances[INSTANCES_MAX];
static struct chmu_range map[CHMU_RANGES_MAX];
static unsigned int nr_ranges;
static bool lied;
static u64 pages;

u64 pghot_cputime_ns(void)
{
	static u64 now;

	return now += input_u16(input);
}

u64 pghot_memory(void)
{
	return 4000000000ull;
}

long pghot_record_range(unsigned long start, unsigned long nr_pages, int nid, unsigned int src,
			u64 when, unsigned int weight)
{
	const u64 from = (u64)start << PAGE_SHIFT, to = (u64)(start + nr_pages) << PAGE_SHIFT;
	unsigned int i;

	assert(nr_pages && nr_pages <= CHMU_CHUNK);
	assert(src == 3 && weight == 1 && when <= shim_clock);
	/* Its first and its last page have some memory of the same range. */
	for (i = 0; i < nr_ranges; i++) {
		const struct chmu_range *r = &map[i];
		u64 end = r->hpa + r->size * r->ways;

		if (from + PAGE_SIZE > r->hpa && from < end && to - PAGE_SIZE < end)
			break;
	}
	assert(i < nr_ranges);
	pages += nr_pages;
	return nr_pages;
}

/* The instance that has a register at this offset of the block, and the register. */
static struct instance *instance_at(u64 offset, u64 *reg)
{
	u64 i = offset < CHMU_INSTANCE || !length ? INSTANCES_MAX :
						    (offset - CHMU_INSTANCE) / length;

	if (i >= nr)
		return NULL;
	*reg = (offset - CHMU_INSTANCE) % length;
	return &instances[i];
}

static u64 status_of(const struct instance *instance)
{
	return chmu_put(CHMU_STATUS_ENABLED, !!(instance->cfg[0] & CHMU_CFG0_ENABLE)) |
	       chmu_put(CHMU_STATUS_WIDTH, instance->width) | instance->flags;
}

/* What is at an offset, if nothing is wrong with the device. */
static u64 truth(u64 offset)
{
	struct instance *instance;
	u64 reg;

	if (offset < CHMU_INSTANCE)
		return common[offset / 8];
	instance = instance_at(offset, &reg);
	if (!instance || reg >= CHMU_REGISTERS)
		return input_sized(input, ~0ull);	/* of a list or a bitmap */
	switch (reg) {
	case CHMU_CAP0 ... CHMU_LIST_OFFSET:
		return instance->cap[reg / 8];
	case CHMU_CFG0 ... CHMU_CFG2:
		return instance->cfg[(reg - CHMU_CFG0) / 8];
	case CHMU_STATUS:
		return status_of(instance);
	default:
		return 0;
	}
}

static u64 offset_of(const void *at, unsigned int bytes)
{
	u64 offset = (const u8 *)at - BASE;

	assert(offset % bytes == 0 && offset < room && bytes <= room - offset);
	return offset;
}

static bool lies(void)
{
	bool lie = input->left && input_u8(input) >= LIE_FROM;

	lied |= lie;
	return lie;
}

u64 readq(const void *at)
{
	u64 offset = offset_of(at, 8);

	/* Whether a capability is a lie makes no difference. */
	if (offset >= CHMU_INSTANCE && lies())
		return input_u8(input) & 1 ? CHMU_GONE : input_u64(input);
	return truth(offset);
}

u16 readw(const void *at)
{
	struct instance *instance;
	u64 reg;

	instance = instance_at(offset_of(at, 2), &reg);
	assert(instance && (reg == CHMU_HEAD || reg == CHMU_TAIL));
	if (lies())
		return input_u16(input);
	return reg == CHMU_HEAD ? instance->head : instance->tail;
}

/* The bitmap of an instance ends before its list, and before the next instance. */
static void check_bitmap(u64 reg, const struct instance *instance)
{
	const u64 list = instance->cap[3], entries = chmu_get(instance->cap[0], CHMU_CAP0_ENTRIES);

	assert(reg >= CHMU_REGISTERS && reg >= instance->cap[2]);
	assert(reg < list || reg >= list + entries * CHMU_ENTRY_BYTES);
}

void writeq(u64 value, void *at)
{
	struct instance *instance;
	u64 reg;

	instance = instance_at(offset_of(at, 8), &reg);
	assert(instance);
	if (reg >= CHMU_CFG0 && reg <= CHMU_CFG2)
		instance->cfg[(reg - CHMU_CFG0) / 8] = value & ~CHMU_CFG0_RESET;
	else if (reg == CHMU_STATUS)
		instance->flags &= ~value;
	else if (!lied)
		check_bitmap(reg, instance);
}

void writew(u16 value, void *at)
{
	struct instance *instance;
	u64 reg;

	instance = instance_at(offset_of(at, 2), &reg);
	assert(instance && reg == CHMU_HEAD);
	assert(lied || value < chmu_get(instance->cap[0], CHMU_CAP0_ENTRIES));
	instance->head = value;
}

/* Words of the device that are something else than make_device() made of them. */
static void change_words(struct input *in)
{
	unsigned int i;

	for (i = input_upto(in, 3); i; i--) {
		struct instance *instance = &instances[input_upto(in, nr - 1)];
		unsigned int word = input_upto(in, 8);

		if (word < ARRAY_SIZE(instance->cap))
			instance->cap[word] ^= input_sized(in, ~0ull);
		else if (word < ARRAY_SIZE(instance->cap) + ARRAY_SIZE(instance->cfg))
			instance->cfg[word - ARRAY_SIZE(instance->cap)] = input_sized(in, ~0ull);
		else
			common[word % 2] ^= input_sized(in, ~0ull);
	}
}

/* A device that can be used in most cases. */
static void make_device(struct input *in)
{
	unsigned int i;

	lied = false;
	nr = 1 + input_upto(in, 3);
	length = CHMU_REGISTERS + 8ull * input_upto(in, 255);
	common[0] = chmu_put(CHMU_COMMON_INSTANCES, nr);
	common[1] = chmu_put(CHMU_COMMON_LENGTH, length);
	room = input_sized(in, 1 << 19);
	if (input_u8(in) < 0xf0)
		room += CHMU_INSTANCE + nr * length;
	memset(instances, 0, sizeof(instances));
	for (i = 0; i < nr; i++)
		instances[i] = (struct instance){
			.cap[0] = CHMU_CAP0_BOTH | (input_u16(in) & 0x3f) |
				  chmu_put(CHMU_CAP0_MIN_SCALE, 1) |
				  chmu_put(CHMU_CAP0_MIN_MULT, 10) |
				  chmu_put(CHMU_CAP0_MAX_SCALE, 5) |
				  chmu_put(CHMU_CAP0_MAX_MULT, 60) |
				  chmu_put(CHMU_CAP0_ENTRIES, input_u16(in)),
			.cap[1] = CHMU_CAP1_EPOCHS | BIT(input_upto(in, 23)) |
				  BIT(input_upto(in, 23)),
			.cap[2] = CHMU_REGISTERS,
			.cap[3] = CHMU_REGISTERS + 8ull * input_u16(in),
			.width = 1 + input_upto(in, 63),
			.head = input_u16(in),
			.tail = input_u16(in),
		};
	change_words(in);
	for (i = 0; i < nr; i++)
		instances[i].others = instances[i].cfg[0] & CHMU_CFG0_ENABLE;
	nr = chmu_get(common[0], CHMU_COMMON_INSTANCES);
	length = chmu_get(common[1], CHMU_COMMON_LENGTH);
}

/* Ranges that are possible in most cases. */
static void make_map(struct input *in)
{
	u64 dpa = 0;
	unsigned int i;

	nr_ranges = input_upto(in, 4);
	for (i = 0; i < nr_ranges; i++) {
		struct chmu_range *r = &map[i];
		bool plain = input_u8(in) < 0xf0;

		*r = (struct chmu_range){
			.dpa = (plain ? dpa : 0) + input_sized(in, 1ull << 36),
			.size = input_sized(in, plain ? 1ull << 36 : CHMU_ADDRESS_MAX),
			.hpa = input_sized(in, plain ? 1ull << 44 : CHMU_ADDRESS_MAX),
			.ways = 1 + input_upto(in, plain ? CHMU_WAYS_MAX - 1 : CHMU_WAYS_MAX),
			.granularity = 1ull << input_upto(in, 30),
			.position = input_upto(in, CHMU_WAYS_MAX),
		};
		if (plain) {
			r->granularity = max_t(u64, r->granularity, CHMU_GRANULARITY_MIN);
			r->position %= r->ways;
			/* Now and then the last piece is cut. */
			if (input_u8(in) < 0xe0)
				r->size = (r->size / r->granularity + 1) * r->granularity;
		}
		dpa = r->dpa + r->size;
	}
}

/* Reads the lists again and again, while more is found to wait in them. */
static void poll_often(struct chmu *chmu, struct input *in)
{
	unsigned int i, polls;

	for (polls = 0; polls < POLLS_MAX && in->left; polls++) {
		pages = 0;
		jiffies += input_u8(in);
		shim_clock += input_u32(in);
		if (input_u8(in) & 1)
			pghot_chmu_interrupt(chmu);
		assert(chmu->work.queued || chmu->gone);
		chmu->work.queued = false;
		chmu_work(&chmu->work.work);
		/* What may be of one step is beyond the bound. */
		assert(pages <= CHMU_PAGES + chmu->nr * (CHMU_CHUNK * CHMU_WAYS_MAX + 1));
		for (i = 0; i < nr; i++) {
			instances[i].tail = input_u16(in);
			instances[i].flags = (u64)input_u8(in) << 40;
		}
	}
}

void fuzz_one(struct input *in)
{
	struct chmu_block block = { .name = "fuzzed", .src = 3, .regs = BASE, .map = map };
	struct chmu *chmu;
	unsigned int i;

	input = in;
	shim_clock = 1000000000000ull;
	pghot_hmu_threshold.value = input_u8(in);
	make_device(in);
	make_map(in);
	block.room = room;
	block.nr_ranges = nr_ranges;
	chmu = pghot_chmu_start(&block);
	if (!IS_ERR(chmu)) {
		assert(pghot_chmu_msi(chmu) >= -1 && pghot_chmu_msi(chmu) <= 15);
		if (input_u8(in) & 1)
			chmu->nonsense = CHMU_NONSENSE_MAX - 1;
		poll_often(chmu, in);
		pghot_chmu_stop(chmu);
	}
	assert(!atomic_read(&chmu_polled));
	/* If the device tells the truth, what was switched on is off now, and nothing else. */
	for (i = 0; i < nr && !lied; i++)
		assert(!(instances[i].cfg[0] & CHMU_CFG0_ENABLE) == !instances[i].others);
}
