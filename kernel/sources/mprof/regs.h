/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Registers of AMD's memory profiler
 *
 * Here is what is written to have it sample, and what a sample says.
 *
 * The registers are from the driver that was published with pghot's eighth version for the kernel,
 * as the processor's own document (Zen6 IBS extensions) was not at hand. The codes of data sources
 * that this driver does not use are those of IBS as of 6.12 (asm/amd-ibs.h). The latency filter is
 * not used: only its names were to be found, but not where its bits are.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_MPROF_REGS_H
#define PGHOT_SOURCES_MPROF_REGS_H

#include <linux/bits.h>
#include <linux/types.h>

/* CPUID Fn8000_001B, EAX: this CPU has a memory profiler. */
#define MPROF_CPUID		0x8000001b
#define MPROF_CPUID_PRESENT	BIT(18)

/* Where the profiler's interrupt and that of IBS go: the number of an extended LVT. */
#define MPROF_IBSCTL		0xc001103a
#define MPROF_IBSCTL_IBS	GENMASK_ULL(3, 0)
#define MPROF_IBSCTL_IBS_VALID	BIT_ULL(8)
#define MPROF_IBSCTL_LVT	GENMASK_ULL(19, 16)
#define MPROF_IBSCTL_LVT_SHIFT	16
#define MPROF_IBSCTL_LVT_VALID	BIT_ULL(24)

#define MPROF_CTL		0xc0010380
#define MPROF_CTL_MAXCNT	GENMASK_ULL(15, 0)	/* bits 19:4 of the period */
#define MPROF_CTL_L3MISSONLY	BIT_ULL(16)
#define MPROF_CTL_ENABLE	BIT_ULL(17)
#define MPROF_CTL_VAL		BIT_ULL(18)		/* there is a sample */
#define MPROF_CTL_CNT_CTL	BIT_ULL(19)		/* count ops, not cycles */
#define MPROF_CTL_MAXCNT_EXT	GENMASK_ULL(26, 20)	/* bits 26:20 of the period */

#define MPROF_CTL2		0xc0010381
#define MPROF_CTL2_DISABLE	BIT_ULL(0)
#define MPROF_CTL2_NO_USER	BIT_ULL(1)
#define MPROF_CTL2_NO_KERNEL	BIT_ULL(2)		/* by bit 63 of the instruction's address */

#define MPROF_DATA2		0xc0010382
#define MPROF_DATA2_SOURCE	GENMASK_ULL(2, 0)
#define MPROF_DATA2_NODE	BIT_ULL(4)
#define MPROF_DATA2_SOURCE_HIGH	GENMASK_ULL(7, 6)
#define MPROF_DATA2_SOCKET	BIT_ULL(9)

#define MPROF_DATA3		0xc0010383
#define MPROF_DATA3_LOAD	BIT_ULL(0)
#define MPROF_DATA3_STORE	BIT_ULL(1)
#define MPROF_DATA3_L1_MISS	BIT_ULL(7)
#define MPROF_DATA3_LINEAR	BIT_ULL(17)
#define MPROF_DATA3_PHYSICAL	BIT_ULL(18)
#define MPROF_DATA3_L2_MISS	BIT_ULL(20)
#define MPROF_DATA3_PREFETCH	BIT_ULL(21)		/* by an instruction */

#define MPROF_LINADDR		0xc0010384
#define MPROF_PHYADDR		0xc0010385
/* No AMD processor has longer ones. */
#define MPROF_PHYADDR_MASK	GENMASK_ULL(51, 0)

/**
 * enum mprof_source - where the data of a load came from, as the register codes it
 * @MPROF_UNKNOWN: not said; also what codes stand for that are not known
 * @MPROF_LOCAL_CCX: a cache of this core complex, L3 included
 * @MPROF_NEAR_CCX: a cache of another one in the same node
 * @MPROF_DRAM: DRAM
 * @MPROF_FAR_CCX: a cache of another node
 * @MPROF_PMEM: persistent memory
 * @MPROF_IO: registers of a device
 * @MPROF_EXT_MEM: extension memory, that is CXL
 * @MPROF_PEER_MEM: memory of another coherent agent
 */
enum mprof_source {
	MPROF_UNKNOWN = 0,
	MPROF_LOCAL_CCX = 1,
	MPROF_NEAR_CCX = 2,
	MPROF_DRAM = 3,
	MPROF_FAR_CCX = 5,
	MPROF_PMEM = 6,
	MPROF_IO = 7,
	MPROF_EXT_MEM = 8,
	MPROF_PEER_MEM = 12,
};

/**
 * enum mprof_distance - how far away that was
 * @MPROF_LOCAL: in the node of the CPU
 * @MPROF_REMOTE_NODE: in another node
 * @MPROF_REMOTE_SOCKET: in another socket
 */
enum mprof_distance {
	MPROF_LOCAL,
	MPROF_REMOTE_NODE,
	MPROF_REMOTE_SOCKET,
};

/**
 * enum mprof_verdict - is a sample worth recording?
 * @MPROF_RECORD: yes
 * @MPROF_NO_ACCESS: neither load nor store
 * @MPROF_CACHED: memory was not asked
 * @MPROF_DEVICE: no memory
 * @MPROF_NO_ADDRESS: where it was is not known
 * @MPROF_KERNEL: memory by an address of the kernel. If the kernel copies a page, the page is not
 *	in use for that
 */
enum mprof_verdict {
	MPROF_RECORD,
	MPROF_NO_ACCESS,
	MPROF_CACHED,
	MPROF_DEVICE,
	MPROF_NO_ADDRESS,
	MPROF_KERNEL,
};

/**
 * struct mprof_sample - what a sample says
 * @load: the op loads, or prefetches
 * @store: it stores
 * @prefetch: it is a prefetch by an instruction
 * @missed: neither L1 nor L2 had the data
 * @linear: the register of the linear address holds it
 * @physical: the register of the physical address holds it
 * @source: where the data came from; of loads only, as IBS does not know it of stores
 * @distance: how far that was
 */
struct mprof_sample {
	bool load;
	bool store;
	bool prefetch;
	bool missed;
	bool linear;
	bool physical;
	enum mprof_source source;
	enum mprof_distance distance;
};

/**
 * mprof_lvt() - which interrupt is the profiler's own
 * @ibsctl: MPROF_IBSCTL
 *
 * Return: number of the extended LVT, or -1 if firmware has given it none.
 */
static inline int mprof_lvt(u64 ibsctl)
{
	if (!(ibsctl & MPROF_IBSCTL_LVT_VALID))
		return -1;
	return (ibsctl & MPROF_IBSCTL_LVT) >> MPROF_IBSCTL_LVT_SHIFT;
}

/**
 * mprof_lvt_is_shared() - does IBS use the same one?
 * @ibsctl: MPROF_IBSCTL
 */
static inline bool mprof_lvt_is_shared(u64 ibsctl)
{
	return ibsctl & MPROF_IBSCTL_IBS_VALID &&
	       mprof_lvt(ibsctl) == (int)(ibsctl & MPROF_IBSCTL_IBS);
}

/**
 * mprof_ctl() - MPROF_CTL that has it sample
 * @period: every how many ops, below 2^27; the lowest four bits do not count
 *
 * Only what misses the L3: hardware drops the rest, so that it costs no interrupt.
 */
static inline u64 mprof_ctl(u32 period)
{
	return (period >> 4 & MPROF_CTL_MAXCNT) | (period & MPROF_CTL_MAXCNT_EXT) |
	       MPROF_CTL_L3MISSONLY | MPROF_CTL_ENABLE | MPROF_CTL_CNT_CTL;
}

/**
 * mprof_ctl_stopped() - MPROF_CTL that keeps it from sampling, and drops what there is
 * @ctl: MPROF_CTL as it is
 */
static inline u64 mprof_ctl_stopped(u64 ctl)
{
	return ctl & ~(MPROF_CTL_ENABLE | MPROF_CTL_VAL);
}

/** mprof_source() - the data source that a code stands for */
static inline enum mprof_source mprof_source(u64 data2)
{
	unsigned int code = (data2 & MPROF_DATA2_SOURCE) | (data2 & MPROF_DATA2_SOURCE_HIGH) >> 3;

	switch (code) {
	case MPROF_LOCAL_CCX:
	case MPROF_NEAR_CCX:
	case MPROF_DRAM:
	case MPROF_FAR_CCX:
	case MPROF_PMEM:
	case MPROF_IO:
	case MPROF_EXT_MEM:
	case MPROF_PEER_MEM:
		return code;
	default:
		return MPROF_UNKNOWN;
	}
}

/** mprof_distance() - how far away a data source was */
static inline enum mprof_distance mprof_distance(u64 data2)
{
	if (data2 & MPROF_DATA2_SOCKET)
		return MPROF_REMOTE_SOCKET;
	return data2 & MPROF_DATA2_NODE ? MPROF_REMOTE_NODE : MPROF_LOCAL;
}

/**
 * mprof_decode() - read a sample
 * @data2: MPROF_DATA2
 * @data3: MPROF_DATA3
 */
static inline struct mprof_sample mprof_decode(u64 data2, u64 data3)
{
	bool load = data3 & MPROF_DATA3_LOAD;

	return (struct mprof_sample){
		.load = load,
		.store = data3 & MPROF_DATA3_STORE,
		.prefetch = data3 & MPROF_DATA3_PREFETCH,
		.missed = data3 & MPROF_DATA3_L1_MISS && data3 & MPROF_DATA3_L2_MISS,
		.linear = data3 & MPROF_DATA3_LINEAR,
		.physical = data3 & MPROF_DATA3_PHYSICAL,
		.source = load ? mprof_source(data2) : MPROF_UNKNOWN,
		.distance = load ? mprof_distance(data2) : MPROF_LOCAL,
	};
}

/**
 * mprof_judge() - is a sample worth recording?
 * @s: the sample
 * @linaddr: MPROF_LINADDR; means nothing unless @s says so
 *
 * Hardware is told to leave out accesses that hit caches and those of the kernel. They are looked
 * for here all the same, because that is cheap, and nobody has seen hardware leave them out.
 * Prefetches by instructions count. They are what waits for memory: the access itself finds the
 * data in a cache then.
 */
static inline enum mprof_verdict mprof_judge(const struct mprof_sample *s, u64 linaddr)
{
	if (!s->load && !s->store)
		return MPROF_NO_ACCESS;
	if (!s->missed || s->source == MPROF_LOCAL_CCX || s->source == MPROF_NEAR_CCX ||
	    s->source == MPROF_FAR_CCX)
		return MPROF_CACHED;
	if (s->source == MPROF_IO)
		return MPROF_DEVICE;
	if (!s->physical)
		return MPROF_NO_ADDRESS;
	if (s->linear && linaddr >> 63)
		return MPROF_KERNEL;
	return MPROF_RECORD;
}

/**
 * mprof_pfn() - the page frame that was accessed
 * @phyaddr: MPROF_PHYADDR, of a sample that says it is there
 */
static inline unsigned long mprof_pfn(u64 phyaddr)
{
	return (phyaddr & MPROF_PHYADDR_MASK) >> 12;
}

#endif /* PGHOT_SOURCES_MPROF_REGS_H */
