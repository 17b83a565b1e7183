/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Reading and choosing the values of registers
 *
 * These are pure functions: they say what the registers of a hotness monitoring unit mean, and
 * what to write there. A device may say anything, so everything is checked before it is believed.
 */
#ifndef PGHOT_SOURCES_CHMU_REGS_H
#define PGHOT_SOURCES_CHMU_REGS_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "sources/chmu/layout.h"

/* What reads give when the device is gone. */
#define CHMU_GONE	(~0ull)

/* If the device does not come with values of its own: epoch, us, and accesses in one. */
#define CHMU_EPOCH_US	100000
#define CHMU_THRESHOLD	16

/* Ranges of a device's map. */
#define CHMU_RANGES_MAX	64
/* No device memory and no host memory is beyond this. */
#define CHMU_ADDRESS_MAX	0x10000000000000ull
#define CHMU_WAYS_MAX	16
#define CHMU_GRANULARITY_MIN	256
/* Polls in a row with nothing but nonsense, after which a device is let go. */
#define CHMU_NONSENSE_MAX	1000

/**
 * struct chmu_caps - what an instance can
 * @min_us: shortest epoch, us
 * @max_us: longest epoch, us
 * @min_scale: finest scale of epochs
 * @list: offset of the hotlist in the instance
 * @bitmap: offset of the range bitmap in the instance
 * @bitmap_words: of 64 bits, in the range bitmap; 0 if there is none
 * @entries: of the hotlist, at least 2; one of them stays empty
 * @units: unit sizes, bit n: 256 bytes << n
 * @sampling: bit n: it can count 1 access in 1 << n
 * @msi: number of its interrupt
 * @what: value of CHMU_CFG0_WHAT for all that it can count
 * @epochs: counts in epochs; else all the time
 * @overflow_int: has an interrupt for a full list
 * @fill_int: has an interrupt for a list that fills
 */
struct chmu_caps {
	u64 min_us;
	u64 max_us;
	u64 list;
	u64 bitmap;
	u64 bitmap_words;
	u32 entries;
	u32 units;
	u32 sampling;
	u8 min_scale;
	u8 msi;
	u8 what;
	bool epochs;
	bool overflow_int;
	bool fill_int;
};

/**
 * struct chmu_setup - what an instance is told
 * @cfg0: for CHMU_CFG0, without CHMU_CFG0_ENABLE and the threshold
 * @cfg1: for CHMU_CFG1
 * @cfg2: for CHMU_CFG2
 * @epoch_us: length of an epoch, us
 * @threshold: the threshold wanted, accesses in an epoch
 * @unit_shift: log2 of the bytes of a unit
 */
struct chmu_setup {
	u64 cfg0;
	u64 cfg1;
	u64 cfg2;
	u64 epoch_us;
	u32 threshold;
	u8 unit_shift;
};

/**
 * struct chmu_range - where memory of a device is in host addresses
 * @dpa: device address
 * @size: bytes of the device
 * @hpa: host address where the range begins, all devices of it together
 * @ways: devices that it is interleaved over, 1: none but this
 * @granularity: bytes in a row of one device
 * @position: of this device among them
 */
struct chmu_range {
	u64 dpa;
	u64 size;
	u64 hpa;
	u64 ways;
	u64 granularity;
	u64 position;
};

static inline u64 chmu_get(u64 value, u64 field)
{
	return (value & field) >> __builtin_ctzll(field);
}

static inline u64 chmu_put(u64 field, u64 value)
{
	return (value << __builtin_ctzll(field)) & field;
}

/* Length of an epoch, us; 0 for a scale that there is not. */
static inline u64 chmu_epoch_us(u64 scale, u64 mult)
{
	u64 us = 100;

	if (scale < 1 || scale > CHMU_SCALES)
		return 0;
	while (--scale)
		us *= 10;
	return us * mult;
}

/**
 * chmu_epoch_bits() - an epoch as CHMU_CFG1 has it
 * @us: its length, from 100 us to 4095 s
 * @scale: the finest scale that it may be in, from 1 to CHMU_SCALES
 *
 * Return: scale and multiplier, in place: of the scales from @scale on the finest that reaches
 * as far. The epoch is shorter than @us by at most 1/409, or by less than one of @scale.
 */
static inline u64 chmu_epoch_bits(u64 us, u64 scale)
{
	us /= chmu_epoch_us(scale, 1);
	while (us > CHMU_MULT_MAX && scale < CHMU_SCALES) {
		us /= 10;
		scale++;
	}
	return chmu_put(CHMU_CFG1_SCALE, scale) |
	       chmu_put(CHMU_CFG1_MULT, min(us, (u64)CHMU_MULT_MAX));
}

/* All reads and writes if it can, else reads, which nearly all accesses begin with. */
static inline u8 chmu_what(u64 cap0)
{
	if (cap0 & CHMU_CAP0_BOTH)
		return CHMU_WHAT_BOTH;
	if (cap0 & CHMU_CAP0_ALL_BOTH)
		return CHMU_WHAT_ALL_BOTH;
	if (cap0 & CHMU_CAP0_READS)
		return CHMU_WHAT_READS;
	if (cap0 & CHMU_CAP0_ALL_READS)
		return CHMU_WHAT_ALL_READS;
	return 0;
}

/* Offset and length lie in the instance, behind its registers, where 64 bits can be read. */
static inline bool chmu_within(u64 offset, u64 bytes, u64 room)
{
	return offset >= CHMU_REGISTERS && !(offset % 8) && offset <= room &&
	       bytes <= room - offset;
}

/**
 * chmu_decode() - what an instance can
 * @caps: to fill in
 * @cap: its four capability registers, from CHMU_CAP0 to CHMU_LIST_OFFSET
 * @length: its length in bytes, without the list, which may come after it
 * @room: bytes that are mapped, from its beginning
 * @page_shift: log2 of the bytes of a page; a unit is a page or more
 *
 * Return: NULL, or why it cannot be used; then @caps is of no use.
 */
static inline const char *chmu_decode(struct chmu_caps *caps, const u64 cap[4], u64 length,
				      u64 room, unsigned int page_shift)
{
	u64 list = cap[3], bitmap = cap[2];

	if (cap[0] == CHMU_GONE && cap[1] == CHMU_GONE)
		return "does not answer";

	*caps = (struct chmu_caps) {
		.min_us = chmu_epoch_us(chmu_get(cap[0], CHMU_CAP0_MIN_SCALE),
					chmu_get(cap[0], CHMU_CAP0_MIN_MULT)),
		.max_us = chmu_epoch_us(chmu_get(cap[0], CHMU_CAP0_MAX_SCALE),
					chmu_get(cap[0], CHMU_CAP0_MAX_MULT)),
		.min_scale = chmu_get(cap[0], CHMU_CAP0_MIN_SCALE),
		.list = list,
		.bitmap = bitmap,
		.entries = chmu_get(cap[0], CHMU_CAP0_ENTRIES),
		.units = chmu_get(cap[1], CHMU_CAP1_UNITS),
		.sampling = chmu_get(cap[1], CHMU_CAP1_SAMPLING),
		.msi = chmu_get(cap[0], CHMU_CAP0_MSI),
		.what = chmu_what(cap[0]),
		.epochs = cap[1] & CHMU_CAP1_EPOCHS,
		.overflow_int = cap[0] & CHMU_CAP0_OVERFLOW_INT,
		.fill_int = cap[0] & CHMU_CAP0_FILL_INT,
	};

	caps->units &= ~0u << (page_shift - CHMU_UNIT_SHIFT_MIN);
	if (!caps->units)
		return "has no unit of a page or more";
	if (!caps->what)
		return "cannot count reads";
	if (!caps->epochs && !(cap[1] & CHMU_CAP1_ALWAYS_ON))
		return "has no way of counting";
	if (!caps->min_us || caps->max_us < caps->min_us)
		return "has no length of epochs";
	if (caps->entries < 2)
		return "has no room in its hotlist";
	if (!chmu_within(list, (u64)caps->entries * CHMU_ENTRY_BYTES, room))
		return "has its hotlist elsewhere";
	/*
	 * Nothing tells the bitmap's length: it ends with the instance, or where the list begins.
	 */
	if (bitmap < list)
		length = min(length, list);
	else if (bitmap < list + (u64)caps->entries * CHMU_ENTRY_BYTES)
		length = 0;
	if (chmu_within(bitmap, 8, length))
		caps->bitmap_words = (length - bitmap) / 8;
	return NULL;
}

/* The number of a bit if it is set, else the lowest that is, else 0. */
static inline unsigned int chmu_bit_or_lowest(u32 bits, u64 bit)
{
	if (bit < 32 && bits >> bit & 1)
		return bit;
	return bits ? __builtin_ctz(bits) : 0;
}

/**
 * chmu_choose() - what to tell an instance
 * @caps: what it can
 * @cfg0: CHMU_CFG0 as the device comes
 * @cfg1: CHMU_CFG1 as the device comes
 * @threshold: accesses in an epoch that make a unit hot; 0: as the device comes
 *
 * What the device comes with is kept if that is possible. For what it does not come with, the
 * smallest units, counting without sampling, CHMU_EPOCH_US and CHMU_THRESHOLD are chosen.
 */
static inline struct chmu_setup chmu_choose(const struct chmu_caps *caps, u64 cfg0, u64 cfg1,
					    u32 threshold)
{
	u64 unit = chmu_get(cfg1, CHMU_CFG1_UNIT);
	u64 epoch = chmu_epoch_us(chmu_get(cfg1, CHMU_CFG1_SCALE), chmu_get(cfg1, CHMU_CFG1_MULT));
	struct chmu_setup setup = {
		.threshold = threshold ?: chmu_get(cfg0, CHMU_CFG0_THRESHOLD) ?: CHMU_THRESHOLD,
	};
	u64 bits = cfg1 & (CHMU_CFG1_SCALE | CHMU_CFG1_MULT);

	/* A unit below the smallest one wraps to a number that no bit has. */
	setup.unit_shift = CHMU_UNIT_SHIFT_MIN +
			   chmu_bit_or_lowest(caps->units, unit - CHMU_UNIT_SHIFT_MIN);
	if (epoch < caps->min_us || epoch > caps->max_us)
		bits = chmu_epoch_bits(min(max((u64)CHMU_EPOCH_US, caps->min_us), caps->max_us),
				       caps->min_scale);
	setup.epoch_us = chmu_epoch_us(chmu_get(bits, CHMU_CFG1_SCALE),
				       chmu_get(bits, CHMU_CFG1_MULT));

	setup.cfg0 = chmu_put(CHMU_CFG0_WHAT, caps->what) | (cfg0 & CHMU_CFG0_RANDOM) |
		     (caps->overflow_int ? CHMU_CFG0_OVERFLOW_INT : 0) |
		     (caps->fill_int ? CHMU_CFG0_FILL_INT : 0);
	setup.cfg1 = bits | chmu_put(CHMU_CFG1_UNIT, setup.unit_shift) |
		     chmu_put(CHMU_CFG1_SAMPLING,
			      chmu_bit_or_lowest(caps->sampling,
						 chmu_get(cfg1, CHMU_CFG1_SAMPLING))) |
		     chmu_put(CHMU_CFG1_MODE,
			      caps->epochs ? CHMU_MODE_EPOCHS : CHMU_MODE_ALWAYS_ON);
	setup.cfg2 = chmu_put(CHMU_CFG2_FILL, caps->entries / 2);
	return setup;
}

/**
 * chmu_threshold_bits() - a threshold as CHMU_CFG0 has it
 * @threshold: accesses
 * @width: of the counters, bits, 1 to 63
 *
 * Return: it, in place; the highest that can be counted to if it is beyond.
 */
static inline u64 chmu_threshold_bits(u32 threshold, unsigned int width)
{
	return chmu_put(CHMU_CFG0_THRESHOLD, min((u64)threshold, (1ull << width) - 1));
}

/* Can counters be so wide, with a unit's id beside them? */
static inline bool chmu_width_ok(u64 width)
{
	return width >= 1 && width <= 63;
}

/**
 * chmu_waiting() - entries of the hotlist that wait
 * @head: the next to read
 * @tail: the next to be written
 * @entries: of the list
 *
 * Return: how many, less than @entries; -1 if head or tail is not in the list.
 */
static inline int chmu_waiting(u32 head, u32 tail, u32 entries)
{
	if (head >= entries || tail >= entries)
		return -1;
	return tail >= head ? tail - head : entries - head + tail;
}

/**
 * chmu_entry() - an entry of the hotlist
 * @entry: the entry
 * @width: of the counters, bits, 1 to 63
 * @unit_shift: log2 of the bytes of a unit
 * @count: how often its unit was accessed
 *
 * Return: device address of the unit; CHMU_ADDRESS_MAX or more for one that cannot be.
 */
static inline u64 chmu_entry(u64 entry, unsigned int width, unsigned int unit_shift, u64 *count)
{
	u64 unit = entry >> width;

	*count = entry & ((1ull << width) - 1);
	return unit >= CHMU_ADDRESS_MAX >> unit_shift ? CHMU_ADDRESS_MAX : unit << unit_shift;
}

/**
 * chmu_nonsense() - how many polls in a row have brought nothing but nonsense
 * @before: how many there were before this one
 * @sense: this one brought something that can be
 * @nonsense: it brought something that cannot be
 *
 * A list with nothing in it says neither.
 *
 * Return: how many there are now; from CHMU_NONSENSE_MAX on the device is of no use.
 */
static inline unsigned int chmu_nonsense(unsigned int before, bool sense, bool nonsense)
{
	return sense ? 0 : before + nonsense;
}

/**
 * chmu_map_check() - can this be a map?
 * @map: the ranges
 * @nr: how many
 *
 * Return: NULL, or what is wrong with it.
 */
static inline const char *chmu_map_check(const struct chmu_range *map, unsigned int nr)
{
	unsigned int i;
	u64 end = 0;

	if (!nr || nr > CHMU_RANGES_MAX)
		return "its map has no ranges, or too many";
	for (i = 0; i < nr; i++) {
		const struct chmu_range *r = &map[i];

		if (r->dpa < end)
			return "its ranges overlap, or are not in the order of device addresses";
		if (!r->size || r->size > CHMU_ADDRESS_MAX || r->dpa > CHMU_ADDRESS_MAX - r->size)
			return "a range is empty or ends beyond all memory";
		if (!r->ways || r->ways > CHMU_WAYS_MAX || r->position >= r->ways)
			return "a range has a number of ways, or a position, that cannot be";
		/* A piece that is not whole could be beyond the host memory of the range. */
		if (r->ways > 1 && (r->granularity < CHMU_GRANULARITY_MIN ||
				    r->granularity & (r->granularity - 1) ||
				    r->size % r->granularity))
			return "a range has a granularity that cannot be";
		if (r->size > CHMU_ADDRESS_MAX / r->ways ||
		    r->hpa > CHMU_ADDRESS_MAX - r->size * r->ways)
			return "a range is beyond all host memory";
		end = r->dpa + r->size;
	}
	return NULL;
}

/* The host address of a byte that is in the range. */
static inline u64 chmu_range_hpa(const struct chmu_range *r, u64 dpa)
{
	u64 offset = dpa - r->dpa;

	if (r->ways == 1)
		return r->hpa + offset;
	return r->hpa + (offset / r->granularity * r->ways + r->position) * r->granularity +
	       offset % r->granularity;
}

/**
 * chmu_map_next() - the next host pages of a piece of device memory
 * @map: a map that chmu_map_check() takes
 * @nr: its number of ranges
 * @dpa: where the piece begins; moved on behind what is returned
 * @end: where the piece ends
 * @most: how much of the device's memory to take at a time, bytes, a multiple of a page
 * @page_shift: log2 of the bytes of a page
 * @pfn: first host page
 *
 * Interleaved memory of a device is in many pieces of host memory, and each call returns one of
 * them. If the pieces are so small that each host page in between has some memory of the device,
 * all these pages are returned by one call.
 *
 * Return: number of pages; 0 if there are no more. At most the pages of @most bytes of the device,
 * times the number of ways, plus one.
 */
static inline u64 chmu_map_next(const struct chmu_range *map, unsigned int nr, u64 *dpa, u64 end,
				u64 most, unsigned int page_shift, u64 *pfn)
{
	unsigned int i;

	for (i = 0; i < nr && *dpa < end; i++) {
		const struct chmu_range *r = &map[i];
		u64 from = max(*dpa, r->dpa), to = min(end, r->dpa + r->size);

		if (from >= to)
			continue;
		if (r->ways > 1 && r->granularity * r->ways > 1ull << page_shift)
			to = min(to, from + r->granularity - (from - r->dpa) % r->granularity);
		to = min(to, from + most);
		*dpa = to;
		*pfn = chmu_range_hpa(r, from) >> page_shift;
		return (chmu_range_hpa(r, to - 1) >> page_shift) - *pfn + 1;
	}
	*dpa = end;
	return 0;
}

#endif /* PGHOT_SOURCES_CHMU_REGS_H */
