/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Registers of a model of CPU, and what CPUs say of themselves
 */
#ifndef PGHOT_WRAPPER_MSR_H
#define PGHOT_WRAPPER_MSR_H

#include <linux/types.h>
#include <asm/msr.h>
#include <asm/processor.h>
/* cpuid_eax(): since 6.16. */
#if __has_include("asm/cpuid/api.h")
#include <asm/cpuid/api.h>
#endif

/**
 * pghot_msr_read() - read a register of this CPU
 * @msr: a register that the CPU has
 *
 * Any context, NMI included.
 */
static inline u64 pghot_msr_read(u32 msr)
{
	u64 value;

	/* Their name since 6.16. */
#ifdef rdmsrq
	rdmsrq(msr, value);
#else
	rdmsrl(msr, value);
#endif
	return value;
}

/**
 * pghot_msr_write() - write a register of this CPU
 * @msr: a register that the CPU has
 * @value: what to write
 *
 * Any context, NMI included.
 */
static inline void pghot_msr_write(u32 msr, u64 value)
{
#ifdef rdmsrq
	wrmsrq(msr, value);
#else
	wrmsrl(msr, value);
#endif
}

#endif /* PGHOT_WRAPPER_MSR_H */
