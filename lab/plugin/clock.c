// SPDX-License-Identifier: GPL-2.0
#include "clock.h"

#include <stddef.h>

#include "vtime.h"

/* Slots searched in QEMU's class; its structure is shorter than this. */
#define CLASS_SLOTS	40

/* What one pause takes: about 140 cycles on server CPUs of the last years. */
#define PAUSE_PS	50000

/* Part of a slice that is left to others while a vCPU spins. */
#define SPIN_SLICES	8

static struct vtime vtime;
static struct qemu_plugin_scoreboard *scoreboard;
static struct meter *meters[VTIME_MAX_VCPUS];
static void *cpus[VTIME_MAX_VCPUS];
static uint64_t carried[VTIME_MAX_VCPUS];	/* part of the meter that is already in vtime */
static uint64_t slice_ps;
static int nr_vcpus;

/*
 * What QEMU's other threads see of the model time: it moves only when the last
 * vCPU halts. So they never find a timer expired while vCPUs run, and timers fire
 * where the vCPUs' thread looks for them, at a point that model time alone decides.
 */
static int64_t idle_ps;

static int64_t last_ns;
static int64_t frozen_ps;
static bool frozen;
static __thread bool vcpu_thread;

void clock_init(int nr, uint64_t ps)
{
	nr_vcpus = nr;
	slice_ps = ps;
	vtime_init(&vtime, nr);
	scoreboard = qemu_plugin_scoreboard_new(sizeof(struct meter));
}

struct qemu_plugin_scoreboard *clock_scoreboard(void)
{
	return scoreboard;
}

struct meter *clock_meter(int i)
{
	return meters[i];
}

static int64_t *warp_ns(void)
{
	return (int64_t *)(timers_state + TIMERS_STATE_WARP);
}

int64_t clock_local_ps(int i)
{
	return vtime.local[i] + meters[i]->slice_ps - carried[i];
}

int64_t clock_now_ns(void)
{
	int64_t now, open = 0;
	int i;

	if (frozen)
		return frozen_ps / 1000 + __atomic_load_n(warp_ns(), __ATOMIC_ACQUIRE);
	if (!vcpu_thread)
		return __atomic_load_n(&idle_ps, __ATOMIC_ACQUIRE) / 1000 +
		       __atomic_load_n(warp_ns(), __ATOMIC_ACQUIRE);
	for (i = 0; i < nr_vcpus; i++)
		if (vtime.running[i])
			open += meters[i]->slice_ps - carried[i];
	now = vtime_now(&vtime, open) / 1000 + __atomic_load_n(warp_ns(), __ATOMIC_ACQUIRE);
	if (now > last_ns)
		last_ns = now;
	return last_ns;
}

/* QEMU moves its clock forward: keep it as skipped time. */
static void clock_set_ns(int64_t ns)
{
	int64_t more = ns - clock_now_ns();

	if (more > 0)
		__atomic_fetch_add(warp_ns(), more, __ATOMIC_ACQ_REL);
}

const char *clock_hook(void)
{
	const int64_t probe = 0x123456789;
	int64_t warp;
	void **class;
	int i;

	if (!module_object_class_by_name)
		return "this QEMU does not export module_object_class_by_name";
	if (!icount_get || !icount_get_raw || !icount_to_ns)
		return "this QEMU does not export icount_get, icount_get_raw and icount_to_ns";
	if (!timers_state)
		return "this QEMU does not export timers_state";
	if (!qemu_clock_deadline_ns_all)
		return "this QEMU does not export qemu_clock_deadline_ns_all";
	if (!qemu_get_cpu || !cpu_exit || !tcg_cflags_set)
		return "this QEMU does not export qemu_get_cpu, cpu_exit and tcg_cflags_set";
	if (icount_to_ns(1) != 1)
		return "needs -icount shift=0,sleep=off";

	/* The vCPUs stand still, so the warp may be changed to see where it is read from. */
	warp = *warp_ns();
	*warp_ns() = probe;
	if (icount_get() - icount_get_raw() != probe)
		return "timers_state: the idle warp is not at its known offset";
	*warp_ns() = warp;

	class = module_object_class_by_name("tcg-accel-ops");
	if (!class)
		return "class tcg-accel-ops not found: needs -accel tcg";
	/* get_virtual_clock, set_virtual_clock, get_elapsed_ticks */
	for (i = 0; i < CLASS_SLOTS; i++)
		if (class[i] == (void *)icount_get && !class[i + 1] &&
		    class[i + 2] == (void *)icount_get)
			break;
	if (i == CLASS_SLOTS)
		return "tcg-accel-ops: the clock functions are not laid out as in QEMU 10.0, "
		       "or -icount is missing";
	class[i] = (void *)clock_now_ns;
	class[i + 1] = (void *)clock_set_ns;
	class[i + 2] = (void *)clock_now_ns;
	return NULL;
}

void clock_vcpu_init(int i)
{
	vcpu_thread = true;
	meters[i] = qemu_plugin_scoreboard_find(scoreboard, i);
	meters[i]->slice_ps = METER_HALTED;
	cpus[i] = qemu_get_cpu(i);
	if (nr_vcpus > 1)
		tcg_cflags_set(cpus[i], CF_PARALLEL);
}

void clock_resume(int i)
{
	vtime_start(&vtime, i);
	meters[i]->slice_ps -= METER_HALTED;
	carried[i] = 0;
}

/* Bring vtime up to date with the meter of vCPU @i. */
static int64_t clock_take(int i)
{
	int64_t ps = meters[i]->slice_ps - carried[i];

	carried[i] = meters[i]->slice_ps;
	if (frozen)
		return 0;
	vtime_add(&vtime, i, ps);
	return ps;
}

int64_t clock_freeze(void)
{
	int i;

	for (i = 0; i < nr_vcpus; i++)
		if (vtime.running[i])
			clock_take(i);
	frozen_ps = vtime_now(&vtime, 0);
	frozen = true;
	return frozen_ps;
}

void clock_begin_frozen(int64_t ps)
{
	vtime.last = ps;
	idle_ps = ps;
	frozen_ps = ps;
	frozen = true;
}

void clock_thaw(void)
{
	int i;

	for (i = 0; i < nr_vcpus; i++) {
		if (!vtime.running[i])
			continue;
		meters[i]->slice_ps = 0;
		carried[i] = 0;
	}
	frozen = false;
}

int64_t clock_halt(int i)
{
	int64_t ps = clock_take(i);

	vtime_stop(&vtime, i);
	if (!vtime.nr_running)
		__atomic_store_n(&idle_ps, vtime_now(&vtime, 0), __ATOMIC_RELEASE);
	meters[i]->slice_ps = METER_HALTED;
	return ps;
}

int64_t clock_slice_end(int i)
{
	int64_t ps = clock_take(i);
	uint64_t over = meters[i]->slice_ps - slice_ps;

	/* What was used too much is taken from the next slice. */
	if (over >= slice_ps)
		over = 0;
	meters[i]->slice_ps = over;
	carried[i] = over;

	/*
	 * Leave to the next vCPU, also if all others are halted: QEMU looks only then
	 * whether one was woken. But stay if this one is behind all others, as it is
	 * when QEMU took it off before its slice was over. The only vCPU leaves just
	 * for an expired timer: QEMU plans for timers by counting instructions, and
	 * model time is ahead of that.
	 */
	if (nr_vcpus > 1) {
		if (vtime_lag(&vtime, i) < (int64_t)slice_ps / 2)
			cpu_exit(cpus[i]);
	} else if (!qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL)) {
		cpu_exit(cpus[i]);
	}
	return ps;
}

void clock_pause(int i)
{
	uint64_t cut = slice_ps - slice_ps / SPIN_SLICES;
	int64_t lag;
	int j;

	meters[i]->slice_ps += PAUSE_PS;
	if (vtime.nr_running < 2)
		return;
	lag = vtime_lag(&vtime, i) - (int64_t)(meters[i]->slice_ps - carried[i]);
	if (lag > 0)
		vtime_add(&vtime, i, lag);
	for (j = 0; j < nr_vcpus; j++) {
		if (j == i || !vtime.running[j] || meters[j]->slice_ps >= cut)
			continue;
		/* The slice ends earlier; no time is added. */
		carried[j] += cut - meters[j]->slice_ps;
		meters[j]->slice_ps = cut;
	}
}

void clock_yield(int i)
{
	if (nr_vcpus > 1)
		cpu_exit(cpus[i]);
}
