// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: AMD's IBS Memory Profiler
 *
 * It is a part of newer CPUs (Zen6). It tags one of so many ops. If that op misses the caches, the
 * profiler raises an interrupt and tells which memory the op went to. It has registers and an
 * interrupt of its own, and leaves those of IBS to perf.
 *
 * This has never run on hardware, because there was none. regs.h says where the registers are
 * from.
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

#include "core/counter.h"
#include "core/tunable.h"
#include "pghot.h"
#include "sources/mprof/hw.h"
#include "sources/samples.h"
#include "sources/sources.h"
#include "testing/inject.h"

#define CREATE_TRACE_POINTS
#include "sources/mprof/trace.h"

/* Place in enabled_sources. */
#define MPROF_BIT	6

PGHOT_DECLARE_SOURCE(mprof);
PGHOT_RECORDED(recorded_mprof, MPROF_BIT);
/* Samples; of these, those that were not worth recording; and NMIs that found no sample. */
PGHOT_COUNTER(mprof_samples);
PGHOT_COUNTER(mprof_filtered);
PGHOT_COUNTER(mprof_spurious);

static PGHOT_TUNABLE(mprof_period,
		     "Ops of which AMD's memory profiler looks at one, 5000 to 134217727. (10000)",
		     .doors = TUNABLE_SYSCTL,
		     .min = 5000,
		     .max = BOTH_MODES(134217727),
		     .initial = BOTH_MODES(10000));

#define MPROF_NMI	"pghot_mprof"
/* How long after the end of sampling an interrupt may be on its way, us. */
#define MPROF_LATE	100

static struct samples mprof_pushed;
static enum cpuhp_state mprof_hotplug;
static int mprof_lvt_nr;
static bool mprof_starting;	/* written with CPUs kept from coming and going */

/*
 * The state is written on the CPU itself. For a moment after sampling has ended, one interrupt may
 * still be on its way. Nobody else would know what it is for.
 */
enum mprof_state { MPROF_OFF, MPROF_SAMPLING, MPROF_ENDED };
static DEFINE_PER_CPU(enum mprof_state, mprof_state);

/* Starts sampling, also again after each sample, with the period that is set now. */
static void mprof_arm(void)
{
	pghot_mprof_hw_write(MPROF_CTL, mprof_ctl(pghot_tunable_get(&pghot_mprof_period)));
	pghot_mprof_hw_write(MPROF_CTL2, MPROF_CTL2_NO_KERNEL);
}

/* Stops sampling. What the last sample says can still be read. */
static void mprof_disarm(u64 ctl)
{
	pghot_mprof_hw_write(MPROF_CTL, mprof_ctl_stopped(ctl));
	pghot_mprof_hw_write(MPROF_CTL2, MPROF_CTL2_DISABLE);
}

static void mprof_take(void)
{
	struct mprof_sample sample = mprof_decode(pghot_mprof_hw_read(MPROF_DATA2),
						  pghot_mprof_hw_read(MPROF_DATA3));
	enum mprof_verdict verdict = mprof_judge(&sample, pghot_mprof_hw_read(MPROF_LINADDR));
	unsigned long pfn = sample.physical ? mprof_pfn(pghot_mprof_hw_read(MPROF_PHYADDR)) : 0;

	pghot_count(mprof_samples, 1);
	trace_pghot_mprof_sample(pfn, &sample, verdict);
	if (verdict == MPROF_RECORD)
		pghot_samples_push(&mprof_pushed, pfn, pghot_clock());
	else
		pghot_count(mprof_filtered, 1);
}

static int mprof_nmi(unsigned int type, struct pt_regs *regs)
{
	enum mprof_state state = this_cpu_read(mprof_state);
	u64 ctl;

	if (state == MPROF_OFF)
		return NMI_DONE;
	ctl = pghot_mprof_hw_read(MPROF_CTL);
	if (!(ctl & MPROF_CTL_VAL)) {
		pghot_count(mprof_spurious, 1);
		return NMI_DONE;
	}
	mprof_disarm(ctl);
	mprof_take();
	if (state == MPROF_SAMPLING)
		mprof_arm();
	return NMI_HANDLED;
}

/* Called only for an NMI that no other handler wanted, so this takes none from others. */
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
	ret = pghot_mprof_hw_lvt(mprof_lvt_nr, type, masked);
	preempt_enable();
	return ret;
}

/* On the CPU itself. */
static int mprof_cpu_start(void)
{
	int ret;

	if (!pghot_mprof_hw_present() ||
	    mprof_lvt(pghot_mprof_hw_read(MPROF_IBSCTL)) != mprof_lvt_nr)
		return -EOPNOTSUPP;
	ret = mprof_set_lvt(APIC_DELIVERY_MODE_NMI, 0);
	if (ret)
		return ret;
	this_cpu_write(mprof_state, MPROF_SAMPLING);
	mprof_arm();
	return 0;
}

/* If a CPU comes online later and cannot sample, it may come online all the same. */
static int mprof_cpu_online(unsigned int cpu)
{
	int ret = mprof_cpu_start();

	if (ret)
		pr_warn("AMD memory profiler: CPU %d is not sampled (%d)\n", cpu, ret);
	return mprof_starting ? ret : 0;
}

static int mprof_cpu_offline(unsigned int cpu)
{
	if (this_cpu_read(mprof_state) != MPROF_SAMPLING)
		return 0;
	/* This is first, so that an interrupt from now on does not start sampling again. */
	this_cpu_write(mprof_state, MPROF_ENDED);
	mprof_disarm(pghot_mprof_hw_read(MPROF_CTL));
	mprof_set_lvt(APIC_DELIVERY_MODE_NMI, 1);
	udelay(MPROF_LATE);
	this_cpu_write(mprof_state, MPROF_OFF);
	return 0;
}

static int mprof_sleep(void *unused)
{
	return mprof_cpu_offline(smp_processor_id());
}

/*
 * A CPU that counts as sampling has lost its registers, or was started since. So it is stopped
 * first.
 */
static int mprof_wake(void *unused)
{
	mprof_cpu_offline(smp_processor_id());
	return mprof_cpu_online(smp_processor_id());
}

/*
 * A suspend leaves one CPU online, and CPU hotplug does not tell of that CPU. So all CPUs stop
 * sampling while tasks still run, and start again when tasks run again.
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

	if (!pghot_mprof_hw_present())
		return "this CPU has none";
	ibsctl = pghot_mprof_hw_read(MPROF_IBSCTL);
	mprof_lvt_nr = mprof_lvt(ibsctl);
	if (mprof_lvt_nr < 0)
		return "firmware has given it no interrupt";
	if (mprof_lvt_is_shared(ibsctl))
		return "firmware has given it the interrupt of IBS";
	if (mprof_lvt_nr >= APIC_EILVT_NR_MAX)
		return "this kernel does not know the interrupt that firmware has given it";
	return NULL;
}

/* Returns 0, or why CPUs cannot sample. */
static int mprof_start(void)
{
	const char *lacks = mprof_lacks();
	int ret;

	if (lacks) {
		pghot_source_unavailable(&pghot_mprof_source, "%s", lacks);
		return -EOPNOTSUPP;
	}
	ret = pghot_samples_init(&mprof_pushed, MPROF_BIT);
	if (ret)
		return ret;
	if (mprof_set_lvt(APIC_DELIVERY_MODE_NMI, 1)) {
		pghot_source_unavailable(&pghot_mprof_source,
					 "its interrupt, extended LVT %d, is taken", mprof_lvt_nr);
		ret = -EBUSY;
		goto no_lvt;
	}
	ret = mprof_register_nmi();
	if (ret)
		goto no_nmi;
	ret = mprof_start_cpus();
	if (ret) {
		pghot_source_unavailable(&pghot_mprof_source,
					 "not all CPUs can be set up (%d)", ret);
		goto no_cpus;
	}
	/* This cannot fail: the chain takes every notifier. */
	register_pm_notifier(&mprof_power);
	return 0;

no_cpus:
	mprof_unregister_nmi();
no_nmi:
	mprof_set_lvt(APIC_DELIVERY_MODE_FIXED, 1);
no_lvt:
	pghot_samples_exit(&mprof_pushed);
	return ret;
}

/* On return no interrupt is inside pghot. */
static void mprof_stop(void)
{
	unregister_pm_notifier(&mprof_power);
	cpuhp_remove_state(mprof_hotplug);
	mprof_unregister_nmi();
	mprof_set_lvt(APIC_DELIVERY_MODE_FIXED, 1);
	pghot_samples_exit(&mprof_pushed);
}

struct pghot_source pghot_mprof_source = {
	.name = "mprof",
	.title = "AMD memory profiler",
	.bit = MPROF_BIT,
	.start = mprof_start,
	.stop = mprof_stop,
	.part = {
		.tunables = TUNABLES(&pghot_mprof_period),
		.counters = COUNTERS(COUNTER(recorded_mprof), COUNTER(mprof_samples),
				     COUNTER(mprof_filtered), COUNTER(mprof_spurious)),
		.events = EVENTS(EVENT(pghot_mprof_sample)),
	},
};
