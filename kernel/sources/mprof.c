// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's IBS Memory Profiler: a part of newer CPUs (Zen6) that tags one of so many ops, and
 * if that one misses the caches, interrupts to tell which memory it went to. It has
 * registers and an interrupt of its own, and leaves those of IBS to perf.
 *
 * Never run on hardware: there was none. See mprof_regs.h for where the registers are from.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <asm/nmi.h>

#include "../inject.h"
#include "../pghot.h"
#include "../stats.h"
#include "../trace.h"
#include "../tunables.h"
#include "mprof_hw.h"
#include "samples.h"
#include "sources.h"

#define MPROF_NMI	"pghot_mprof"
/* How long after the end of sampling an interrupt may be on its way, us. */
#define MPROF_LATE	100

static struct samples mprof_samples;
static enum cpuhp_state mprof_hotplug;
static int mprof_lvt_nr;
static bool mprof_starting;	/* written with CPUs kept from coming and going */

/*
 * Written on the CPU itself. After sampling ended one interrupt may be on its way for a
 * moment, which nobody else knows of.
 */
enum mprof_state { MPROF_OFF, MPROF_SAMPLING, MPROF_ENDED };
static DEFINE_PER_CPU(enum mprof_state, mprof_state);

/* Also after each sample: sampling goes on, with what is set now. */
static void mprof_arm(void)
{
	mprof_hw_write(MPROF_CTL, mprof_ctl(READ_ONCE(pghot_mprof_period)));
	mprof_hw_write(MPROF_CTL2, MPROF_CTL2_NO_KERNEL);
}

/* What the last sample says can still be read. */
static void mprof_disarm(u64 ctl)
{
	mprof_hw_write(MPROF_CTL, mprof_ctl_stopped(ctl));
	mprof_hw_write(MPROF_CTL2, MPROF_CTL2_DISABLE);
}

static void mprof_take(void)
{
	struct mprof_sample sample = mprof_decode(mprof_hw_read(MPROF_DATA2),
						  mprof_hw_read(MPROF_DATA3));
	enum mprof_verdict verdict = mprof_judge(&sample, mprof_hw_read(MPROF_LINADDR));
	unsigned long pfn = sample.physical ? mprof_pfn(mprof_hw_read(MPROF_PHYADDR)) : 0;

	stats_inc(STAT_MPROF_SAMPLES);
	trace_pghot_mprof_sample(pfn, &sample, verdict);
	if (verdict == MPROF_RECORD)
		samples_push(&mprof_samples, pfn, pghot_clock());
	else
		stats_inc(STAT_MPROF_FILTERED);
}

static int mprof_nmi(unsigned int type, struct pt_regs *regs)
{
	enum mprof_state state = this_cpu_read(mprof_state);
	u64 ctl;

	if (state == MPROF_OFF)
		return NMI_DONE;
	ctl = mprof_hw_read(MPROF_CTL);
	if (!(ctl & MPROF_CTL_VAL)) {
		stats_inc(STAT_MPROF_SPURIOUS);
		return NMI_DONE;
	}
	mprof_disarm(ctl);
	mprof_take();
	if (state == MPROF_SAMPLING)
		mprof_arm();
	return NMI_HANDLED;
}

/* Asked only if nobody knows of an interrupt: those of others are never taken from them. */
static int mprof_unknown_nmi(unsigned int type, struct pt_regs *regs)
{
	if (this_cpu_read(mprof_state) != MPROF_ENDED)
		return NMI_DONE;
	this_cpu_write(mprof_state, MPROF_OFF);
	return NMI_HANDLED;
}

static int mprof_register_nmi(void)
{
	int ret = inject_alloc(-ENOMEM, register_nmi_handler(NMI_LOCAL, mprof_nmi, 0, MPROF_NMI));

	if (ret)
		return ret;
	ret = register_nmi_handler(NMI_UNKNOWN, mprof_unknown_nmi, 0, MPROF_NMI);
	if (ret)
		unregister_nmi_handler(NMI_LOCAL, MPROF_NMI);
	return ret;
}

static void mprof_unregister_nmi(void)
{
	unregister_nmi_handler(NMI_UNKNOWN, MPROF_NMI);
	unregister_nmi_handler(NMI_LOCAL, MPROF_NMI);
}

static int mprof_set_lvt(u8 type, u8 masked)
{
	int ret;

	preempt_disable();
	ret = mprof_hw_lvt(mprof_lvt_nr, type, masked);
	preempt_enable();
	return ret;
}

/* On the CPU itself. */
static int mprof_cpu_start(void)
{
	int ret;

	if (!mprof_hw_present() || mprof_lvt(mprof_hw_read(MPROF_IBSCTL)) != mprof_lvt_nr)
		return -EOPNOTSUPP;
	ret = mprof_set_lvt(APIC_EILVT_MSG_NMI, 0);
	if (ret)
		return ret;
	this_cpu_write(mprof_state, MPROF_SAMPLING);
	mprof_arm();
	return 0;
}

/* A CPU that comes later is not kept from coming for what it lacks. */
static int mprof_cpu_online(unsigned int cpu)
{
	int ret = mprof_cpu_start();

	if (ret)
		pr_warn("pghot: AMD memory profiler: CPU %d is not sampled (%d)\n", cpu, ret);
	return mprof_starting ? ret : 0;
}

static int mprof_cpu_offline(unsigned int cpu)
{
	if (this_cpu_read(mprof_state) != MPROF_SAMPLING)
		return 0;
	/* First: an interrupt from now on does not arm again. */
	this_cpu_write(mprof_state, MPROF_ENDED);
	mprof_disarm(mprof_hw_read(MPROF_CTL));
	mprof_set_lvt(APIC_EILVT_MSG_NMI, 1);
	udelay(MPROF_LATE);
	this_cpu_write(mprof_state, MPROF_OFF);
	return 0;
}

static int mprof_sleep(void *unused)
{
	return mprof_cpu_offline(smp_processor_id());
}

/* What is sampled already has lost its registers, or has been started since. */
static int mprof_wake(void *unused)
{
	mprof_cpu_offline(smp_processor_id());
	return mprof_cpu_online(smp_processor_id());
}

/*
 * The CPU that a suspend leaves online is not told by CPU hotplug. All of them stop while
 * tasks still run, and start when they run again.
 */
static int mprof_power_event(struct notifier_block *block, unsigned long event, void *unused)
{
	int (*call)(void *) = NULL;
	unsigned int cpu;

	switch (event) {
	case PM_HIBERNATION_PREPARE:
	case PM_SUSPEND_PREPARE:
	case PM_RESTORE_PREPARE:
		call = mprof_sleep;
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_SUSPEND:
	case PM_POST_RESTORE:
		call = mprof_wake;
		break;
	}
	if (!call)
		return NOTIFY_DONE;
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_on_cpu(cpu, call, NULL, false);
	cpus_read_unlock();
	return NOTIFY_OK;
}

static struct notifier_block mprof_power = { .notifier_call = mprof_power_event };

/* All CPUs, or none. */
static int mprof_start_cpus(void)
{
	int ret;

	cpus_read_lock();
	mprof_starting = true;
	ret = inject_alloc(-ENOMEM, cpuhp_setup_state_cpuslocked(CPUHP_AP_ONLINE_DYN,
								 "pghot/mprof:online",
								 mprof_cpu_online,
								 mprof_cpu_offline));
	mprof_starting = false;
	cpus_read_unlock();
	if (ret < 0)
		return ret;
	mprof_hotplug = ret;
	return 0;
}

/* Returns why there is nothing to start here, or NULL. */
static const char *mprof_lacks(void)
{
	u64 ibsctl;

	if (!mprof_hw_present())
		return "this CPU has none";
	ibsctl = mprof_hw_read(MPROF_IBSCTL);
	mprof_lvt_nr = mprof_lvt(ibsctl);
	if (mprof_lvt_nr < 0)
		return "firmware has given it no interrupt";
	if (mprof_lvt_is_shared(ibsctl))
		return "firmware has given it the interrupt of IBS";
	if (mprof_lvt_nr >= APIC_EILVT_NR_MAX)
		return "this kernel does not know the interrupt that firmware has given it";
	return NULL;
}

/**
 * mprof_start() - have all CPUs sample which memory they access
 *
 * Process context, sleeps.
 *
 * Return: 0; -EOPNOTSUPP if CPU, firmware or kernel lack something; -EBUSY if the interrupt
 * is taken; or why a CPU cannot be set up; with the reason in the log. -ENOMEM of
 * samples_init().
 */
int mprof_start(void)
{
	const char *lacks = mprof_lacks();
	int ret;

	if (lacks) {
		pr_err("pghot: AMD memory profiler: not available, because %s\n", lacks);
		return -EOPNOTSUPP;
	}
	ret = samples_init(&mprof_samples, PGHOT_SRC_MPROF);
	if (ret)
		return ret;
	if (mprof_set_lvt(APIC_EILVT_MSG_NMI, 1)) {
		pr_err("pghot: AMD memory profiler: not available, because its interrupt, extended LVT %d, is taken\n",
		       mprof_lvt_nr);
		ret = -EBUSY;
		goto no_lvt;
	}
	ret = mprof_register_nmi();
	if (ret)
		goto no_nmi;
	ret = mprof_start_cpus();
	if (ret) {
		pr_err("pghot: AMD memory profiler: not available, because not all CPUs can be set up (%d)\n",
		       ret);
		goto no_cpus;
	}
	/* Its chain takes whoever comes. */
	register_pm_notifier(&mprof_power);
	return 0;

no_cpus:
	mprof_unregister_nmi();
no_nmi:
	mprof_set_lvt(APIC_EILVT_MSG_FIX, 1);
no_lvt:
	samples_exit(&mprof_samples);
	return ret;
}

/**
 * mprof_stop() - sample no more
 *
 * Process context, sleeps. On return no interrupt is inside pghot.
 */
void mprof_stop(void)
{
	unregister_pm_notifier(&mprof_power);
	cpuhp_remove_state(mprof_hotplug);
	mprof_unregister_nmi();
	mprof_set_lvt(APIC_EILVT_MSG_FIX, 1);
	samples_exit(&mprof_samples);
}
