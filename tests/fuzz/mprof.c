// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of AMD's memory profiler: whatever a sample says, only memory that a program accessed
 * is recorded, and registers that are written have no other bits than they should.
 */
#include "fuzz.h"
#include "sources/mprof/regs.h"

static void check_sample(u64 data2, u64 data3, u64 linear, u64 physical)
{
	const struct mprof_sample s = mprof_decode(data2, data3);
	enum mprof_verdict verdict = mprof_judge(&s, linear);

	assert(s.source <= MPROF_PEER_MEM && s.distance <= MPROF_REMOTE_SOCKET);
	assert(s.load || (s.source == MPROF_UNKNOWN && s.distance == MPROF_LOCAL));
	assert(verdict <= MPROF_KERNEL);
	if (verdict == MPROF_RECORD) {
		assert(data3 & (MPROF_DATA3_LOAD | MPROF_DATA3_STORE));
		assert(data3 & MPROF_DATA3_L1_MISS && data3 & MPROF_DATA3_L2_MISS);
		assert(data3 & MPROF_DATA3_PHYSICAL);
		assert(!(data3 & MPROF_DATA3_LINEAR) || !(linear >> 63));
		assert(s.source != MPROF_LOCAL_CCX && s.source != MPROF_NEAR_CCX &&
		       s.source != MPROF_FAR_CCX && s.source != MPROF_IO);
	}
	assert(mprof_pfn(physical) < 1ul << 40);
}

static void check_control(u64 ctl, u32 period)
{
	const u64 counts = MPROF_CTL_MAXCNT | MPROF_CTL_MAXCNT_EXT;
	u64 set = mprof_ctl(period), stopped = mprof_ctl_stopped(ctl);

	assert((set & ~counts) == (MPROF_CTL_L3MISSONLY | MPROF_CTL_ENABLE | MPROF_CTL_CNT_CTL));
	assert((set & MPROF_CTL_MAXCNT) << 4 == (period & 0xffff0));
	assert(!(stopped & (MPROF_CTL_ENABLE | MPROF_CTL_VAL)));
	assert((stopped ^ ctl) == (ctl & (MPROF_CTL_ENABLE | MPROF_CTL_VAL)));
}

void fuzz_one(struct input *in)
{
	u64 ibsctl = input_u64(in);
	int lvt = mprof_lvt(ibsctl);

	assert(lvt >= -1 && lvt <= 15);
	assert(!mprof_lvt_is_shared(ibsctl) || ibsctl & MPROF_IBSCTL_IBS_VALID);
	assert(lvt >= 0 || !mprof_lvt_is_shared(ibsctl));
	check_control(input_u64(in), input_u32(in) & ((1u << 27) - 1));
	while (in->left) {
		u64 data2 = input_u16(in), data3 = input_u32(in);

		check_sample(data2, data3, input_u64(in), input_u64(in));
	}
}
