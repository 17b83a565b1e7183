// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: A model of AMD's memory profiler for tests
 *
 * It has registers for each CPU, a timer that makes the CPU retire ops, and real NMIs. Parameters
 * tell what the ops access. It warns if the driver does something that it must not do.
 *
 * The model does not use the driver's definitions of the control registers. If both read the
 * registers by the same definitions, a mistake in these would not be seen.
 */
#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "sources/mprof/hw.h"
#include "wrapper/timer.h"

/* Between two turns of a CPU's clock, ms. */
#define TURN	5
/* How long the model waits for an NMI to be handled, in looks. */
#define PATIENCE	100000

static int absent = -1;
module_param_named(mprof_absent, absent, int, 0644);
MODULE_PARM_DESC(mprof_absent, "This CPU has no memory profiler");
static int taken = -1;
module_param_named(mprof_taken, taken, int, 0644);
MODULE_PARM_DESC(mprof_taken, "This extended LVT is somebody else's");
static ulong ibsctl = 0x1020101;
module_param_named(mprof_ibsctl, ibsctl, ulong, 0644);
MODULE_PARM_DESC(mprof_ibsctl, "What firmware says of the interrupts. (2, and 1 for IBS)");

static uint ops;
module_param_named(mprof_ops, ops, uint, 0644);
MODULE_PARM_DESC(mprof_ops, "Ops that each CPU retires in a ms. (0)");
static atomic_t burst;
module_param_named(mprof_burst, burst.counter, int, 0644);
MODULE_PARM_DESC(mprof_burst, "Periods that the next CPU goes through at once");
static atomic_t spurious;
module_param_named(mprof_spurious_nmi, spurious.counter, int, 0644);
MODULE_PARM_DESC(mprof_spurious_nmi, "NMIs to send without a sample");
static bool late;
module_param_named(mprof_late, late, bool, 0644);
MODULE_PARM_DESC(mprof_late, "Where sampling ends, an NMI is on its way");
static int foreign = -1;
module_param_named(mprof_foreign, foreign, int, 0644);
MODULE_PARM_DESC(mprof_foreign, "Where sampling ends on this CPU, the first one gets an NMI that is somebody else's");
static bool mute;
module_param_named(mprof_mute, mute, bool, 0644);
MODULE_PARM_DESC(mprof_mute, "Samples come without their NMI");

static ulong first_pfn;
module_param_named(mprof_pfn, first_pfn, ulong, 0644);
MODULE_PARM_DESC(mprof_pfn, "Page frame of the first access");
static ulong nr_pages = 1;
module_param_named(mprof_pages, nr_pages, ulong, 0644);
MODULE_PARM_DESC(mprof_pages, "Accesses go through so many page frames from there on");
static ulong data2 = 3;
module_param_named(mprof_data2, data2, ulong, 0644);
MODULE_PARM_DESC(mprof_data2, "Register of all samples. (from DRAM)");
static ulong data3 = 0x160081;
module_param_named(mprof_data3, data3, ulong, 0644);
MODULE_PARM_DESC(mprof_data3, "Register of all samples. (a load that misses, with addresses)");
static ulong linaddr = 0x7f0000001000;
module_param_named(mprof_linaddr, linaddr, ulong, 0644);
MODULE_PARM_DESC(mprof_linaddr, "Register of all samples");
static bool in_kernel;
module_param_named(mprof_kernel, in_kernel, bool, 0644);
MODULE_PARM_DESC(mprof_kernel, "All ops are the kernel's");

static atomic_t counted;
module_param_named(mprof_counted, counted.counter, int, 0644);
MODULE_PARM_DESC(mprof_counted, "Ops that were counted while sampling was on, modulo 2^32");
static atomic_long_t accesses;

/* The model of one CPU. Only the timer and the NMIs of that CPU look at it. */
struct model {
	u64 ctl, ctl2, phyaddr;
	u64 count;
	bool open;		/* the LVT */
	struct hrtimer clock;
};

static DEFINE_PER_CPU(struct model, models);

static bool is_counting(const struct model *m)
{
	u64 ctl = READ_ONCE(m->ctl);

	return ctl & 0x20000 && !(ctl & 0x40000) && !(READ_ONCE(m->ctl2) & 1);
}

static u64 period(const struct model *m)
{
	return (m->ctl & 0xffff) << 4 | (m->ctl & 0x7f00000);
}

/* Does hardware leave this op out, as it was told to? */
static bool is_left_out(const struct model *m)
{
	bool l3_miss = data3 & 0x80 && data3 & 0x100000 && (data2 & 0xc7) != 1;

	return (m->ctl & 0x10000 && !l3_miss) || m->ctl2 & (in_kernel ? 4 : 2);
}

static void send_nmi(void)
{
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
}

static int lose_registers(void *unused)
{
	struct model *m = this_cpu_ptr(&models);

	if (m->open)
		hrtimer_cancel(&m->clock);
	memset(m, 0, sizeof(*m));
	return 0;
}

static int lose(const char *text, const struct kernel_param *param)
{
	unsigned int cpu;
	int ret = kstrtouint(text, 0, &cpu);

	return ret ?: smp_call_on_cpu(cpu, lose_registers, NULL, false);
}

static const struct kernel_param_ops lose_ops = {
	.set = lose,
};

module_param_cb(mprof_lose, &lose_ops, NULL, 0200);
__MODULE_PARM_TYPE(mprof_lose, "uint");
MODULE_PARM_DESC(mprof_lose, "Registers and interrupt of this CPU are as after power-on, as a suspend leaves them");

static void sample(struct model *m)
{
	int looks;

	m->phyaddr = (first_pfn + (u64)atomic_long_inc_return(&accesses) % nr_pages) << PAGE_SHIFT;
	WRITE_ONCE(m->ctl, m->ctl | 0x40000);
	if (mute || !m->open)
		return;
	send_nmi();
	for (looks = 0; READ_ONCE(m->ctl) & 0x40000 && looks < PATIENCE; looks++)
		cpu_relax();
}

static enum hrtimer_restart turn(struct hrtimer *clock)
{
	struct model *m = container_of(clock, struct model, clock);
	u64 left = ops * TURN;

	if (is_counting(m))
		left += period(m) * atomic_xchg(&burst, 0);
	if (atomic_dec_if_positive(&spurious) >= 0)
		send_nmi();
	while (left && is_counting(m)) {
		u64 now = min(left, period(m) - m->count);

		left -= now;
		m->count += now;
		atomic_add(now, &counted);
		if (m->count < period(m))
			break;
		m->count = 0;
		if (!is_left_out(m))
			sample(m);
	}
	hrtimer_forward_now(clock, ms_to_ktime(TURN));
	return HRTIMER_RESTART;
}

bool pghot_mprof_hw_present(void)
{
	return raw_smp_processor_id() != READ_ONCE(absent);
}

u64 pghot_mprof_hw_read(u32 msr)
{
	WARN_ON_ONCE(!pghot_mprof_hw_present());
	switch (msr) {
	case MPROF_IBSCTL:
		return ibsctl;
	case MPROF_CTL:
		return this_cpu_read(models.ctl);
	case MPROF_DATA2:
		return data2;
	case MPROF_DATA3:
		return data3;
	case MPROF_LINADDR:
		return linaddr;
	case MPROF_PHYADDR:
		return this_cpu_read(models.phyaddr);
	}
	WARN_ONCE(1, "read of MSR %x", msr);
	return 0;
}

void pghot_mprof_hw_write(u32 msr, u64 value)
{
	struct model *m = this_cpu_ptr(&models);

	WARN_ON_ONCE(!pghot_mprof_hw_present());
	/*
	 * The driver may sample only while it takes interrupts, and with a period that hardware
	 * takes.
	 */
	WARN_ON_ONCE(msr == MPROF_CTL && value & 0x20000 && !m->open);
	if (msr == MPROF_CTL)
		WRITE_ONCE(m->ctl, value);
	else if (!WARN_ONCE(msr != MPROF_CTL2, "write of MSR %x", msr))
		WRITE_ONCE(m->ctl2, value);
	WARN_ON_ONCE(is_counting(m) && period(m) < 5000 - 5000 % 16);
}

static void listen(struct model *m)
{
	m->open = true;
	m->count = 0;
	pghot_hrtimer_setup(&m->clock, turn, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&m->clock, ms_to_ktime(TURN), HRTIMER_MODE_REL_PINNED_HARD);
}

int pghot_mprof_hw_lvt(u8 nr, u8 type, u8 masked)
{
	struct model *m = this_cpu_ptr(&models);
	int cpu;

	WARN_ON_ONCE(!pghot_mprof_hw_present());
	if (nr == taken)
		return -EBUSY;
	WARN_ON_ONCE(nr != (ibsctl >> 16 & 0xf) || preemptible());
	if (type == APIC_DELIVERY_MODE_FIXED) {
		/* The driver gives the LVT back. By then no CPU may sample. */
		for_each_possible_cpu(cpu)
			WARN_ON_ONCE(!masked || per_cpu(models, cpu).open);
	} else if (!masked) {
		WARN_ON_ONCE(m->open);
		listen(m);
	} else if (m->open) {
		WARN_ON_ONCE(is_counting(m));
		hrtimer_cancel(&m->clock);
		m->open = false;
		if (late)
			send_nmi();
		if (raw_smp_processor_id() == foreign)
			__apic_send_IPI_mask(cpumask_of(0), NMI_VECTOR);
	}
	return 0;
}
