/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: A hotness monitoring unit on any bus
 *
 * It has the registers of CXL's units.
 */
#ifndef PGHOT_SOURCES_CHMU_UNIT_H
#define PGHOT_SOURCES_CHMU_UNIT_H

#include <linux/types.h>

#include "core/counter.h"

struct chmu;
struct tunable;
struct chmu_range;

/**
 * struct chmu_block - a block of registers
 * @name: for the log
 * @src: the source that it is
 * @regs: where it is mapped
 * @room: bytes that are mapped there
 * @map: where the memory that it counts is, in the order of device addresses
 * @nr_ranges: ranges of @map
 */
struct chmu_block {
	const char *name;
	unsigned int src;
	void __iomem *regs;
	u64 room;
	const struct chmu_range *map;
	unsigned int nr_ranges;
};

/* What the sources that have such units show. */
extern struct tunable pghot_hmu_threshold;
PGHOT_DECLARE_COUNTER(hmu_entries);
PGHOT_DECLARE_COUNTER(hmu_unmapped);
PGHOT_DECLARE_COUNTER(hmu_overflows);
PGHOT_DECLARE_COUNTER(hmu_errors);
PGHOT_DECLARE_COUNTER(hmu_cpu_ns);

struct chmu *pghot_chmu_start(const struct chmu_block *block);
void pghot_chmu_stop(struct chmu *chmu);
int pghot_chmu_msi(const struct chmu *chmu);
bool pghot_chmu_interrupt(struct chmu *chmu);

#endif /* PGHOT_SOURCES_CHMU_UNIT_H */
