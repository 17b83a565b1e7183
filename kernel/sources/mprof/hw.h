/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Access to AMD's memory profiler on this CPU
 *
 * These are its registers and its interrupt. A build for tests has a model in their place,
 * model.c.
 */
#ifndef PGHOT_SOURCES_MPROF_HW_H
#define PGHOT_SOURCES_MPROF_HW_H

#include <linux/types.h>
#include <asm/apic.h>

#include "sources/mprof/regs.h"

#ifdef PGHOT_INJECT

bool pghot_mprof_hw_present(void);
u64 pghot_mprof_hw_read(u32 msr);
void pghot_mprof_hw_write(u32 msr, u64 value);
int pghot_mprof_hw_lvt(u8 nr, u8 type, u8 masked);

#else

#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "wrapper/msr.h"

/**
 * pghot_mprof_hw_present() - has this CPU a memory profiler?
 *
 * Any context.
 */
static inline bool pghot_mprof_hw_present(void)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_AMD && boot_cpu_has(X86_FEATURE_IBS) &&
	       cpuid_eax(0x80000000) >= MPROF_CPUID &&
	       cpuid_eax(MPROF_CPUID) & MPROF_CPUID_PRESENT;
}

/**
 * pghot_mprof_hw_read() - read a register of this CPU
 * @msr: MPROF_IBSCTL or one of the profiler's; the profiler is present
 *
 * Any context, NMI included.
 */
static inline u64 pghot_mprof_hw_read(u32 msr)
{
	return pghot_msr_read(msr);
}

/**
 * pghot_mprof_hw_write() - write a register of this CPU
 * @msr: MPROF_CTL or MPROF_CTL2; the profiler is present
 * @value: what to write
 *
 * Any context, NMI included.
 */
static inline void pghot_mprof_hw_write(u32 msr, u64 value)
{
	pghot_msr_write(msr, value);
}

/**
 * pghot_mprof_hw_lvt() - say where this CPU's interrupt of an extended LVT goes
 * @nr: the LVT, below APIC_EILVT_NR_MAX
 * @type: APIC_DELIVERY_MODE_NMI; or APIC_DELIVERY_MODE_FIXED with @masked to give the LVT back
 * @masked: does none arrive?
 *
 * Preemption is off. The first one to use an LVT, masked or not, reserves it on all CPUs.
 *
 * Return: 0, -EINVAL or -EBUSY if somebody else uses it.
 */
static inline int pghot_mprof_hw_lvt(u8 nr, u8 type, u8 masked)
{
	return setup_APIC_eilvt(nr, 0, type, masked);
}

#endif /* PGHOT_INJECT */

#endif /* PGHOT_SOURCES_MPROF_HW_H */
