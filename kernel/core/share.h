/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How work keeps to a share of a CPU
 *
 * Scanning sources and kmigrated rest after their work, for as long as their share of a CPU asks
 * for.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_CORE_SHARE_H
#define PGHOT_CORE_SHARE_H

#include <linux/types.h>

/**
 * share_rest_ns() - how long to rest after work, to keep to a share of CPU time
 * @worked: CPU time of the work, ns
 * @percent: the share, of one CPU, 1 to 100 for each worker
 * @workers: how many share it, 1 or more
 *
 * Return: ns.
 */
static inline u64 share_rest_ns(u64 worked, unsigned int percent, unsigned int workers)
{
	return worked / percent * (100ull * workers - percent);
}

#endif /* PGHOT_CORE_SHARE_H */
