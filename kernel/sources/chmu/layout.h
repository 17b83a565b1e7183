/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Registers of a CXL hotness monitoring unit
 *
 * The registers are those of CXL r3.2 8.2.8, as the published Linux driver has them. Here are
 * numbers only, for the driver and for the lab's model of a device.
 *
 * A block begins with the common registers. Its instances follow, each as long as CHMU_COMMON_CAP1
 * says. Offsets below CHMU_INSTANCE are in a block, others are in an instance.
 */
#ifndef PGHOT_SOURCES_CHMU_LAYOUT_H
#define PGHOT_SOURCES_CHMU_LAYOUT_H

/*
 * The register locator of a CXL device: a DVSEC of CXL's with this id. Each of its entries,
 * two words, says where a block of registers is.
 */
#define CHMU_LOCATOR			8
#define CHMU_LOCATOR_LENGTH		0x00000000fff00000ull	/* in the DVSEC's first word */
#define CHMU_LOCATOR_ENTRIES		0x0c
#define CHMU_LOCATOR_ENTRY_BYTES	8
#define   CHMU_LOCATOR_BAR		0x0000000000000007ull
#define   CHMU_LOCATOR_BLOCK		0x000000000000ff00ull
#define     CHMU_LOCATOR_IS_CHMU	5
#define   CHMU_LOCATOR_OFFSET		0xffffffffffff0000ull	/* as it stands */

/* The block: */
#define CHMU_COMMON_CAP0		0x00
#define   CHMU_COMMON_VERSION		0x000000000000000full
#define   CHMU_COMMON_INSTANCES		0x000000000000ff00ull
#define CHMU_COMMON_CAP1		0x08
#define   CHMU_COMMON_LENGTH		0x000000000000ffffull
#define CHMU_INSTANCE			0x10

/* An instance, what it can: */
#define CHMU_CAP0			0x00
#define   CHMU_CAP0_MSI			0x000000000000000full
#define   CHMU_CAP0_OVERFLOW_INT	0x0000000000000010ull
#define   CHMU_CAP0_FILL_INT		0x0000000000000020ull
#define   CHMU_CAP0_READS		0x0000000000000100ull
#define   CHMU_CAP0_WRITES		0x0000000000000200ull
#define   CHMU_CAP0_BOTH		0x0000000000000400ull
#define   CHMU_CAP0_ALL_READS		0x0000000000000800ull
#define   CHMU_CAP0_ALL_WRITES		0x0000000000001000ull
#define   CHMU_CAP0_ALL_BOTH		0x0000000000002000ull
#define   CHMU_CAP0_MAX_SCALE		0x00000000000f0000ull
#define   CHMU_CAP0_MAX_MULT		0x00000000fff00000ull
#define   CHMU_CAP0_MIN_SCALE		0x0000000f00000000ull
#define   CHMU_CAP0_MIN_MULT		0x0000fff000000000ull
#define   CHMU_CAP0_ENTRIES		0xffff000000000000ull
#define CHMU_CAP1			0x08
#define   CHMU_CAP1_UNITS		0x0000000000ffffffull	/* bit n: 256 bytes << n */
#define   CHMU_CAP1_SAMPLING		0x0000ffff00000000ull	/* bit n: 1 in 1 << n */
#define   CHMU_CAP1_EPOCHS		0x0001000000000000ull
#define   CHMU_CAP1_ALWAYS_ON		0x0002000000000000ull
#define   CHMU_CAP1_RANDOM		0x0004000000000000ull
#define CHMU_BITMAP_OFFSET		0x10	/* of the ranges, in the instance */
#define CHMU_LIST_OFFSET		0x18	/* of the hotlist, in the instance */

/* what it is to do: */
#define CHMU_CFG0			0x40
#define   CHMU_CFG0_WHAT		0x00000000000000ffull
#define     CHMU_WHAT_READS		1
#define     CHMU_WHAT_WRITES		2
#define     CHMU_WHAT_BOTH		3
#define     CHMU_WHAT_ALL_READS		4
#define     CHMU_WHAT_ALL_WRITES	5
#define     CHMU_WHAT_ALL_BOTH		6
#define   CHMU_CFG0_RANDOM		0x0000000000000100ull
#define   CHMU_CFG0_OVERFLOW_INT	0x0000000000000200ull
#define   CHMU_CFG0_FILL_INT		0x0000000000000400ull
#define   CHMU_CFG0_ENABLE		0x0000000000010000ull
#define   CHMU_CFG0_RESET		0x0000000000020000ull
#define   CHMU_CFG0_THRESHOLD		0xffffffff00000000ull
#define CHMU_CFG1			0x48
#define   CHMU_CFG1_UNIT		0x00000000ffffffffull	/* log2 of bytes */
#define   CHMU_CFG1_SAMPLING		0x0000000f00000000ull	/* 1 in 1 << this */
#define   CHMU_CFG1_MODE		0x0000ff0000000000ull
#define     CHMU_MODE_EPOCHS		0
#define     CHMU_MODE_ALWAYS_ON		1
#define   CHMU_CFG1_SCALE		0x000f000000000000ull
#define   CHMU_CFG1_MULT		0xfff0000000000000ull
#define CHMU_CFG2			0x50
#define   CHMU_CFG2_FILL		0x000000000000ffffull

/* and how it stands. Writing 1 to OVERFLOW or FILL clears it. */
#define CHMU_STATUS			0x60
#define   CHMU_STATUS_ENABLED		0x0000000000000001ull
#define   CHMU_STATUS_BUSY		0x00000000ffff0000ull
#define   CHMU_STATUS_WIDTH		0x000000ff00000000ull
#define   CHMU_STATUS_OVERFLOW		0x0000010000000000ull
#define   CHMU_STATUS_FILL		0x0000020000000000ull
#define CHMU_HEAD			0x68	/* 16 bits: the entry to read next */
#define CHMU_TAIL			0x6a	/* 16 bits: the entry to write next */
#define CHMU_REGISTERS			0x70	/* the bitmap and the list are behind these */

/* Of the range bitmap, a bit; of the list, an entry: bytes of each. */
#define CHMU_RANGE_SHIFT		28
#define CHMU_ENTRY_BYTES		8

/* An epoch is multiplier times scale. Scales are 100 us, 1 ms, ... 1 s, from 1 on. */
#define CHMU_SCALES			5
#define CHMU_MULT_MAX			4095

#define CHMU_UNIT_SHIFT_MIN		8
#define CHMU_UNIT_SHIFT_MAX		31

#endif /* PGHOT_SOURCES_CHMU_LAYOUT_H */
