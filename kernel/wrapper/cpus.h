/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What CPUs are doing
 */
#ifndef PGHOT_WRAPPER_CPUS_H
#define PGHOT_WRAPPER_CPUS_H

#include <linux/types.h>

unsigned int pghot_cpus_pick(int nid, unsigned int start, bool idle);

#endif /* PGHOT_WRAPPER_CPUS_H */
