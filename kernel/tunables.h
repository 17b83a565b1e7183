/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an administrator may set: one table, serving /sys/kernel/mm/pghot/ and
 * the module's parameters.
 */
#ifndef PGHOT_TUNABLES_H
#define PGHOT_TUNABLES_H

#include <linux/compiler.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "record_default.h"

extern unsigned int pghot_enabled_sources;
extern unsigned int pghot_freq_threshold;
extern unsigned int pghot_freq_window_ms;
extern unsigned int pghot_kmigrated_batch_nr;
extern unsigned int pghot_kmigrated_sleep_ms;

/**
 * tunables_window() - freq_window_ms as records count
 *
 * Any context.
 *
 * Return: whole buckets.
 */
static inline u32 tunables_window(void)
{
	return ((u64)READ_ONCE(pghot_freq_window_ms) * NSEC_PER_MSEC) >> PGHOT_BUCKET_SHIFT;
}

int tunables_init(void);
void tunables_exit(void);

#endif /* PGHOT_TUNABLES_H */
