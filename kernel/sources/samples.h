/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Samples that are taken in interrupts
 *
 * An access that an interrupt or an NMI has sampled is recorded later, outside of it. Each CPU has
 * a ring for its samples, and a worker that empties the ring.
 */
#ifndef PGHOT_SOURCES_SAMPLES_H
#define PGHOT_SOURCES_SAMPLES_H

#include <linux/compiler_types.h>
#include <linux/types.h>

#include "pghot.h"

struct samples_cpu;

/**
 * struct samples - the samples of one source
 * @src: the source
 * @cpus: rings and workers, of all possible CPUs
 */
struct samples {
	unsigned int src;
	struct samples_cpu __percpu *cpus;
};

int pghot_samples_init(struct samples *s, unsigned int src);
void pghot_samples_exit(struct samples *s);
void pghot_samples_push(struct samples *s, unsigned long pfn, u64 when);
u64 pghot_samples_worked_ns(struct samples *s, unsigned int cpu);

#endif /* PGHOT_SOURCES_SAMPLES_H */
