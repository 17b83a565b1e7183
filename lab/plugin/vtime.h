/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One clock for vCPUs that run one after the other but stand for CPUs that run
 * at the same time.
 *
 * Every running vCPU has a local time: what it has executed and waited. The
 * common time is the mean of the local times of the running vCPUs and never goes
 * back. So a vCPU that runs a slice of S while k are running moves the common
 * time by S/k, and when each has had its slice the common time has moved by S.
 * A vCPU that stops leaves the mean; the common time then waits for the others
 * to catch up, so that short bursts of one vCPU do not change how fast the
 * others get on. A vCPU that starts takes the common time as its own.
 *
 * All times are in ps of model time; idle time is not part of it.
 */
#ifndef TIERMEM_VTIME_H
#define TIERMEM_VTIME_H

#include <stdbool.h>
#include <stdint.h>

#define VTIME_MAX_VCPUS		16

struct vtime {
	int64_t local[VTIME_MAX_VCPUS];
	bool running[VTIME_MAX_VCPUS];
	int64_t sum;		/* of the local times of the running vCPUs */
	int64_t last;		/* latest common time handed out */
	int nr_vcpus;
	int nr_running;
};

/* All vCPUs stand still at time 0. */
void vtime_init(struct vtime *vt, int nr_vcpus);

/* Common time if the running vCPUs together had done @extra more than was added. */
int64_t vtime_now(struct vtime *vt, int64_t extra);

/* vCPU @i starts to run, or stops. */
void vtime_start(struct vtime *vt, int i);
void vtime_stop(struct vtime *vt, int i);

/* The running vCPU @i has done @ps more. */
void vtime_add(struct vtime *vt, int i, int64_t ps);

/* How far the running vCPU @i is behind the last of the other running ones. */
int64_t vtime_lag(const struct vtime *vt, int i);

#endif
