/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hotness monitoring units with the registers of CXL's, whatever bus they are on.
 */
#ifndef PGHOT_CHMU_H
#define PGHOT_CHMU_H

#include <linux/types.h>

#include "../pghot.h"

struct chmu;
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
	enum pghot_src src;
	void __iomem *regs;
	u64 room;
	const struct chmu_range *map;
	unsigned int nr_ranges;
};

struct chmu *chmu_start(const struct chmu_block *block);
void chmu_stop(struct chmu *chmu);
int chmu_msi(const struct chmu *chmu);
bool chmu_interrupt(struct chmu *chmu);

#endif /* PGHOT_CHMU_H */
