/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Shared memory of the lab's virtual unit
 *
 * The lab's virtual hotness monitoring unit is an ivshmem device. Its shared memory begins with
 * this header. A register block follows as in sources/chmu/layout.h.
 *
 * All numbers have 64 bits. Device addresses are those of the block's units.
 */
#ifndef PGHOT_SOURCES_VHMU_LAYOUT_H
#define PGHOT_SOURCES_VHMU_LAYOUT_H

#define VHMU_MAGIC		0x554d48746f686770ull	/* "pghotHMU" */
#define VHMU_VERSION		1

#define VHMU_MAGIC_AT		0x00
#define VHMU_VERSION_AT		0x08
#define VHMU_BLOCK_AT		0x10	/* where the register block begins */
#define VHMU_NR_RANGES_AT	0x18
#define VHMU_RANGES_AT		0x40

/* A range of device memory, as in struct chmu_range: */
#define VHMU_RANGE_DPA		0x00
#define VHMU_RANGE_SIZE		0x08
#define VHMU_RANGE_HPA		0x10
#define VHMU_RANGE_WAYS		0x18
#define VHMU_RANGE_GRANULARITY	0x20
#define VHMU_RANGE_POSITION	0x28
#define VHMU_RANGE_BYTES	0x30

#endif /* PGHOT_SOURCES_VHMU_LAYOUT_H */
