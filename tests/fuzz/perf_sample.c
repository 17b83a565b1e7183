// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of performance counters, and the period that follows from what they cost.
 */
#include "fuzz.h"
#include "sources/perf/period.h"
#include "sources/perf/served.h"

static void check_served(union perf_mem_data_src src)
{
	const u64 ram = PERF_MEM_LVL_LOC_RAM | PERF_LVL_REMOTE_RAM;
	enum perf_served served = perf_served(src);

	assert(served <= PERF_SERVED_EXTENDED);
	if (!(src.mem_op & (PERF_MEM_OP_NA | PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE)))
		assert(!perf_served_counts(served));
	if (src.mem_snoop & PERF_MEM_SNOOP_HITM)
		assert(!perf_served_counts(served));
	if (served == PERF_SERVED_DRAM)
		assert(src.mem_lvl & ram || src.mem_lvl_num == PERF_MEM_LVLNUM_RAM);
}

/* The next period is one that counters can have, and goes into the direction of the cost. */
static u32 check_period(u32 period, u32 lowest, u64 busy, u64 wall, unsigned int permille)
{
	u32 next = perf_period_next(period, lowest, busy, wall, permille);
	u64 bound = wall * permille / 1000;

	assert(next && next <= PERF_PERIOD_MAX && next >= min(lowest, PERF_PERIOD_MAX));
	assert(next <= PERF_PERIOD_STEP || next % PERF_PERIOD_STEP == 0);
	if (bound && busy > bound)
		assert(next > period || next == PERF_PERIOD_MAX);
	if (bound && busy <= bound)
		assert(next <= max(period, perf_period_fit(lowest)));
	assert(next >= period / 2);
	return next;
}

void fuzz_one(struct input *in)
{
	u32 lowest = input_sized(in, ~0u), period = perf_period_fit(input_sized(in, ~0u));

	period = max(period, perf_period_fit(lowest));
	while (in->left) {
		u64 wall = input_sized(in, 1ull << 45);
		u64 busy = input_sized(in, ~0ull);

		check_served((union perf_mem_data_src){ .val = input_u64(in) });
		period = check_period(period, lowest, busy, wall, 1 + input_upto(in, 999));
	}
}
