/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the threads of scanning sources keep to scan_cpu_percent.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_SHARE_H
#define PGHOT_SOURCES_SHARE_H

#include <linux/types.h>

/**
 * share_rest_ns() - how long to rest after work, to keep to a share of one CPU
 * @worked: CPU time of the work, ns
 * @percent: the share, 1 to 100
 * @workers: how many have to make do with it together, 1 or more
 *
 * Return: ns.
 */
static inline u64 share_rest_ns(u64 worked, unsigned int percent, unsigned int workers)
{
	return worked / percent * (100ull * workers - percent);
}

#endif /* PGHOT_SOURCES_SHARE_H */
