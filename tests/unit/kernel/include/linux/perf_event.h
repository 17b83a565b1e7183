/* SPDX-License-Identifier: GPL-2.0 */
/* Kinds of events, and how samples tell of accesses: part of the kernel's interface to programs. */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <linux/types.h>

#define PERF_TYPE_TRACEPOINT	2
#define PERF_TYPE_BREAKPOINT	5

union perf_mem_data_src {
	u64 val;
	struct {
		u64 mem_op:5;
		u64 mem_lvl:14;
		u64 mem_snoop:5;
		u64 mem_lock:2;
		u64 mem_dtlb:7;
		u64 mem_lvl_num:4;
		u64 mem_remote:1;
		u64 mem_snoopx:2;
		u64 mem_blk:3;
		u64 mem_hops:3;
		u64 mem_rsvd:18;
	};
};

#define PERF_MEM_OP_NA			0x01
#define PERF_MEM_OP_LOAD		0x02
#define PERF_MEM_OP_STORE		0x04
#define PERF_MEM_OP_PFETCH		0x08
#define PERF_MEM_OP_EXEC		0x10
#define PERF_MEM_OP_SHIFT		0

#define PERF_MEM_LVL_NA			0x01
#define PERF_MEM_LVL_HIT		0x02
#define PERF_MEM_LVL_MISS		0x04
#define PERF_MEM_LVL_L1			0x08
#define PERF_MEM_LVL_LFB		0x10
#define PERF_MEM_LVL_L2			0x20
#define PERF_MEM_LVL_L3			0x40
#define PERF_MEM_LVL_LOC_RAM		0x80
#define PERF_MEM_LVL_REM_RAM1		0x100
#define PERF_MEM_LVL_REM_RAM2		0x200
#define PERF_MEM_LVL_REM_CCE1		0x400
#define PERF_MEM_LVL_REM_CCE2		0x800
#define PERF_MEM_LVL_IO			0x1000
#define PERF_MEM_LVL_UNC		0x2000
#define PERF_MEM_LVL_SHIFT		5

#define PERF_MEM_REMOTE_REMOTE		0x01
#define PERF_MEM_REMOTE_SHIFT		37

#define PERF_MEM_LVLNUM_L1		0x01
#define PERF_MEM_LVLNUM_L2		0x02
#define PERF_MEM_LVLNUM_L3		0x03
#define PERF_MEM_LVLNUM_L4		0x04
#define PERF_MEM_LVLNUM_L2_MHB		0x05
#define PERF_MEM_LVLNUM_MSC		0x06
#define PERF_MEM_LVLNUM_UNC		0x08
#define PERF_MEM_LVLNUM_CXL		0x09
#define PERF_MEM_LVLNUM_IO		0x0a
#define PERF_MEM_LVLNUM_ANY_CACHE	0x0b
#define PERF_MEM_LVLNUM_LFB		0x0c
#define PERF_MEM_LVLNUM_RAM		0x0d
#define PERF_MEM_LVLNUM_PMEM		0x0e
#define PERF_MEM_LVLNUM_NA		0x0f
#define PERF_MEM_LVLNUM_SHIFT		33

#define PERF_MEM_SNOOP_NA		0x01
#define PERF_MEM_SNOOP_NONE		0x02
#define PERF_MEM_SNOOP_HIT		0x04
#define PERF_MEM_SNOOP_MISS		0x08
#define PERF_MEM_SNOOP_HITM		0x10
#define PERF_MEM_SNOOP_SHIFT		19

#define PERF_MEM_SNOOPX_FWD		0x01
#define PERF_MEM_SNOOPX_PEER		0x02
#define PERF_MEM_SNOOPX_SHIFT		38

#define PERF_MEM_LOCK_NA		0x01
#define PERF_MEM_LOCK_LOCKED		0x02
#define PERF_MEM_LOCK_SHIFT		24

#define PERF_MEM_TLB_NA			0x01
#define PERF_MEM_TLB_HIT		0x02
#define PERF_MEM_TLB_MISS		0x04
#define PERF_MEM_TLB_L1			0x08
#define PERF_MEM_TLB_L2			0x10
#define PERF_MEM_TLB_WK			0x20
#define PERF_MEM_TLB_OS			0x40
#define PERF_MEM_TLB_SHIFT		26

#define PERF_MEM_BLK_NA			0x01
#define PERF_MEM_BLK_DATA		0x02
#define PERF_MEM_BLK_ADDR		0x04
#define PERF_MEM_BLK_SHIFT		40

#define PERF_MEM_HOPS_0			0x01
#define PERF_MEM_HOPS_1			0x02
#define PERF_MEM_HOPS_2			0x03
#define PERF_MEM_HOPS_3			0x04
#define PERF_MEM_HOPS_SHIFT		43

#define PERF_MEM_S(a, s)	((u64)PERF_MEM_##a##_##s << PERF_MEM_##a##_SHIFT)

#endif /* _LINUX_PERF_EVENT_H */
