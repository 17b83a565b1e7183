/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guest's clock: model time instead of host time or QEMU's instruction count.
 *
 *   guest ns = idle time that QEMU skipped (-icount sleep=off) + vtime
 *
 * vtime advances by what each vCPU's meter counts: instructions, added inline at
 * the begin of each translated block, and stalls, added by the memory model. QEMU
 * runs the vCPUs in turn on one thread; a vCPU is made to leave when its meter
 * says that its slice of model time is over.
 */
#ifndef TIERMEM_CLOCK_H
#define TIERMEM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu.h"

/* Classes of instructions, by the address of their block. */
enum insn_class {
	INSN_USER,
	INSN_KERNEL,
	INSN_MODULE,
	INSN_CLASSES,
};

/* Scoreboard element of a vCPU. */
struct meter {
	uint64_t slice_ps;		/* time of this slice; METER_HALTED added while halted */
	uint64_t insn[INSN_CLASSES];
};

#define METER_HALTED	(UINT64_C(1) << 62)

/* Set up for @nr_vcpus and slices of @slice_ps. */
void clock_init(int nr_vcpus, uint64_t slice_ps);

/*
 * Put the clock into QEMU. To be called from the first vCPU's initialisation:
 * QEMU fills its table of clock functions after plugins are loaded. NULL, or what
 * did not match.
 */
const char *clock_hook(void);

/* The scoreboard of struct meter. */
struct qemu_plugin_scoreboard *clock_scoreboard(void);

/* The meter of vCPU @i, from its initialisation on. */
struct meter *clock_meter(int i);

/* vCPU @i was initialised. It stands still. */
void clock_vcpu_init(int i);

/* vCPU @i has begun to run a block after a halt. */
void clock_resume(int i);

/* vCPU @i is about to execute hlt. Returns the time of its slice, ps. */
int64_t clock_halt(int i);

/* vCPU @i has used up its slice. Returns the slice's time, ps. */
int64_t clock_slice_end(int i);

/*
 * vCPU @i executes pause: it spins, waiting for another one or for time to pass.
 *
 * QEMU leaves a vCPU at each pause. If others run, the spinning vCPU would fall
 * behind them, so its time follows the slowest of them; and their open slices are
 * cut short, so that it sees soon what it waits for.
 */
void clock_pause(int i);

/* Let the other vCPUs run before vCPU @i goes on with its slice. */
void clock_yield(int i);

/*
 * Guest time stands still from now on, whatever vCPUs do, so that a guest can be saved at a time
 * that does not depend on the host. Returns the model time until then, ps.
 */
int64_t clock_freeze(void);

/* Before any vCPU runs: go on where another process had frozen the clock, at @ps. */
void clock_begin_frozen(int64_t ps);

/* Guest time goes on. What vCPUs have done meanwhile has taken none. */
void clock_thaw(void);

/* Local time of the running vCPU @i, ps: vtime plus its open slice. */
int64_t clock_local_ps(int i);

/* Guest time, ns. */
int64_t clock_now_ns(void);

static inline bool clock_halted(const struct meter *m)
{
	return m->slice_ps >= METER_HALTED;
}

#endif
