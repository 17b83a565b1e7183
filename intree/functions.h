/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What pghot uses of the kernel
 *
 * The module resolves by name what these headers declare. In the tree it is called directly.
 *
 * Only files of this directory include this header.
 */
#ifndef PGHOT_MM_FUNCTIONS_H
#define PGHOT_MM_FUNCTIONS_H

#include <linux/cpuset.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mmu_notifier.h>
#include <linux/mmzone.h>
#include <linux/pagewalk.h>
#include <linux/rmap.h>
#include <linux/sched.h>
#include <linux/sched/cputime.h>
#include <linux/sched/sysctl.h>
#include <linux/vmstat.h>

#include <asm/tlbflush.h>

#include "../../internal.h"

#endif /* PGHOT_MM_FUNCTIONS_H */
