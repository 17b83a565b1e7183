// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of AMD's memory profiler: what is written and read against numbers by
 * hand, as the published tables have them, and random registers against a plain model.
 */
#include "check.h"
#include "random.h"
#include "sources/mprof/regs.h"

#define ROUNDS	1000000

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

/* A load that missed, and both addresses are there. */
#define GOOD	0x160081ull

static void periods_by_hand(void)
{
	/* Enabled, counting ops, those that miss the L3: 0xb0000. */
	CHECK(mprof_ctl(10000) == 0xb0271);
	CHECK(mprof_ctl(5000) == 0xb0138);
	CHECK(mprof_ctl(5007) == 0xb0138);
	CHECK(mprof_ctl(5008) == 0xb0139);
	CHECK(mprof_ctl(0xfffff) == 0xbffff);
	CHECK(mprof_ctl(0x100000) == 0x1b0000);
	CHECK(mprof_ctl(134217727) == 0x7fbffff);
}

/* What hardware makes of it is the period, but for its lowest bits, and says go. */
static void periods_come_back(struct random *r)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		uint32_t period = random_log(r, 5000, 134217727);
		uint64_t ctl = mprof_ctl(period);

		CHECK(((ctl & 0xffff) << 4 | (ctl & 0x7f00000)) == period - period % 16);
		CHECK((ctl & ~0x7f0ffffull) == 0xb0000);
	}
}

static void stopping(struct random *r)
{
	int i;

	CHECK(mprof_ctl_stopped(0xf0271) == 0x90271);
	CHECK(mprof_ctl_stopped(0) == 0);
	for (i = 0; i < 1000; i++) {
		uint64_t ctl = random_u64(r);

		CHECK((mprof_ctl_stopped(ctl) ^ ctl) == (ctl & 0x60000));
	}
}

static void interrupts(void)
{
	CHECK(mprof_lvt(0) == -1);
	CHECK(mprof_lvt(0xf0101) == -1);	/* its valid bit is missing */
	CHECK(mprof_lvt(0x1000000) == 0);
	CHECK(mprof_lvt(0x1020101) == 2);
	CHECK(mprof_lvt(0x10f0000) == 15);
	CHECK(mprof_lvt(~0ull) == 15);

	CHECK(!mprof_lvt_is_shared(0x1020101));
	CHECK(mprof_lvt_is_shared(0x1010101));
	CHECK(!mprof_lvt_is_shared(0x1010001));	/* IBS has none */
	CHECK(!mprof_lvt_is_shared(0x0010101));	/* the profiler has none */
	CHECK(mprof_lvt_is_shared(0x1000100));
}

/* Codes of data sources, as the tables have them. */
static enum mprof_source source_of(unsigned int code)
{
	static const enum mprof_source known[32] = {
		[1] = MPROF_LOCAL_CCX,
		[2] = MPROF_NEAR_CCX,
		[3] = MPROF_DRAM,
		[5] = MPROF_FAR_CCX,
		[6] = MPROF_PMEM,
		[7] = MPROF_IO,
		[8] = MPROF_EXT_MEM,
		[12] = MPROF_PEER_MEM,
	};

	return known[code];
}

/* Bits 2:0, and bits 7:6 above them. */
static uint64_t data2_of(unsigned int code)
{
	return (code & 7) | (code >> 3) << 6;
}

static void sources(struct random *r)
{
	unsigned int code;
	int i;

	CHECK(data2_of(8) == 0x40);
	CHECK(data2_of(12) == 0x44);
	for (code = 0; code < 32; code++) {
		for (i = 0; i < 1000; i++) {
			uint64_t others = random_u64(r) & ~0xc7ull;

			CHECK(mprof_source(data2_of(code) | others) == source_of(code));
		}
		CHECK(mprof_decode(data2_of(code), 1).source == source_of(code));
		/* Of a store it is not known. */
		CHECK(mprof_decode(data2_of(code), 2).source == MPROF_UNKNOWN);
		CHECK(mprof_decode(data2_of(code), 3).source == source_of(code));
	}
}

static void distances(void)
{
	CHECK(mprof_decode(0x3, 1).distance == MPROF_LOCAL);
	CHECK(mprof_decode(0x13, 1).distance == MPROF_REMOTE_NODE);
	CHECK(mprof_decode(0x203, 1).distance == MPROF_REMOTE_SOCKET);
	CHECK(mprof_decode(0x213, 1).distance == MPROF_REMOTE_SOCKET);
	CHECK(mprof_decode(0x213, 2).distance == MPROF_LOCAL);
}

static bool same(struct mprof_sample a, struct mprof_sample b)
{
	return a.load == b.load && a.store == b.store && a.prefetch == b.prefetch &&
	       a.missed == b.missed && a.linear == b.linear && a.physical == b.physical &&
	       a.source == b.source && a.distance == b.distance;
}

static void each_bit(void)
{
	struct mprof_sample none = { 0 };
	int bit;

	CHECK(same(mprof_decode(0, 0), none));
	for (bit = 0; bit < 64; bit++) {
		struct mprof_sample want = { 0 };

		want.load = bit == 0;
		want.store = bit == 1;
		want.linear = bit == 17;
		want.physical = bit == 18;
		want.prefetch = bit == 21;
		CHECK(same(mprof_decode(0, 1ull << bit), want));
	}
	CHECK(!mprof_decode(0, 0x80).missed);
	CHECK(!mprof_decode(0, 0x100000).missed);
	CHECK(mprof_decode(0, 0x100080).missed);
}

static void page_frames(void)
{
	CHECK(mprof_pfn(0) == 0);
	CHECK(mprof_pfn(0xfff) == 0);
	CHECK(mprof_pfn(0x1000) == 1);
	CHECK(mprof_pfn(0x123456789abcdull) == 0x123456789aul);
	CHECK(mprof_pfn(~0ull) == 0xfffffffffful);
}

static enum mprof_verdict judge(uint64_t data2, uint64_t data3, uint64_t linaddr)
{
	struct mprof_sample s = mprof_decode(data2, data3);

	return mprof_judge(&s, linaddr);
}

static void verdicts_by_hand(void)
{
	static const struct {
		uint64_t data2, data3, linaddr;
		enum mprof_verdict verdict;
	} cases[] = {
		{ 0x003, GOOD, 0x7f0000001000, MPROF_RECORD },
		{ 0x040, GOOD, 0x7f0000001000, MPROF_RECORD },		/* CXL */
		{ 0x253, GOOD, 0x7f0000001000, MPROF_RECORD },		/* a code nobody knows */
		{ 0x006, GOOD, 0x7f0000001000, MPROF_RECORD },
		{ 0x044, GOOD, 0x7f0000001000, MPROF_RECORD },
		{ 0x000, GOOD, 0x7f0000001000, MPROF_RECORD },
		{ 0x213, GOOD, 0x7f0000001000, MPROF_RECORD },		/* from afar */
		{ 0x003, GOOD | 0x200000, 0x7f0000001000, MPROF_RECORD },	/* prefetch */
		{ 0x003, 0x160082, 0x7f0000001000, MPROF_RECORD },	/* a store */
		{ 0x001, 0x160082, 0x7f0000001000, MPROF_RECORD },	/* which has no source */
		{ 0x003, 0x160083, 0x7f0000001000, MPROF_RECORD },	/* both */
		{ 0x001, 0x160083, 0x7f0000001000, MPROF_CACHED },
		{ 0x003, 0x160080, 0x7f0000001000, MPROF_NO_ACCESS },
		{ 0x001, GOOD, 0x7f0000001000, MPROF_CACHED },
		{ 0x002, GOOD, 0x7f0000001000, MPROF_CACHED },
		{ 0x005, GOOD, 0x7f0000001000, MPROF_CACHED },
		{ 0x003, 0x160001, 0x7f0000001000, MPROF_CACHED },	/* hit L1 */
		{ 0x003, 0x060081, 0x7f0000001000, MPROF_CACHED },	/* hit L2 */
		{ 0x003, 0x060082, 0x7f0000001000, MPROF_CACHED },
		{ 0x007, GOOD, 0x7f0000001000, MPROF_DEVICE },
		{ 0x003, 0x120081, 0x7f0000001000, MPROF_NO_ADDRESS },
		{ 0x003, GOOD, 0xffff888000001000, MPROF_KERNEL },
		{ 0x003, 0x140081, 0xffff888000001000, MPROF_RECORD },	/* an old register */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!CHECK(judge(cases[i].data2, cases[i].data3, cases[i].linaddr) ==
			   cases[i].verdict))
			fprintf(stderr, "case %u\n", i);
}

/* The rule, told plainly on the registers themselves. */
static enum mprof_verdict model(uint64_t data2, uint64_t data3, uint64_t linaddr)
{
	bool load = data3 & 1, store = data3 >> 1 & 1;
	unsigned int code = data2 % 8 + data2 / 64 % 4 * 8;

	if (!load && !store)
		return MPROF_NO_ACCESS;
	if ((data3 & 0x100080) != 0x100080)
		return MPROF_CACHED;
	if (load && (code == 1 || code == 2 || code == 5))
		return MPROF_CACHED;
	if (load && code == 7)
		return MPROF_DEVICE;
	if (!(data3 >> 18 & 1))
		return MPROF_NO_ADDRESS;
	if (data3 >> 17 & 1 && (int64_t)linaddr < 0)
		return MPROF_KERNEL;
	return MPROF_RECORD;
}

static void random_registers(struct random *r)
{
	unsigned long seen[MPROF_KERNEL + 1] = { 0 };
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		uint64_t data2 = random_u64(r), data3 = random_u64(r), linaddr = random_u64(r);
		struct mprof_sample s;
		enum mprof_verdict verdict;

		if (random_once_in(r, 2))
			data3 |= GOOD;
		s = mprof_decode(data2, data3);
		verdict = mprof_judge(&s, linaddr);
		CHECK(verdict == model(data2, data3, linaddr));
		CHECK(verdict != MPROF_RECORD || s.physical);
		CHECK(mprof_pfn(linaddr) < 1ul << 40);
		CHECK(mprof_lvt(data2) >= -1 && mprof_lvt(data2) <= 15);
		seen[verdict]++;
	}
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		CHECK(seen[i] > ROUNDS / 1000);
}

int main(void)
{
	struct random r = { 1 };

	periods_by_hand();
	periods_come_back(&r);
	stopping(&r);
	interrupts();
	sources(&r);
	distances();
	each_bit();
	page_frames();
	verdicts_by_hand();
	random_registers(&r);
	return check_report();
}
