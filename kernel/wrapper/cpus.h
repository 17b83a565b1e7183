/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What CPUs are doing
 */
#ifndef PGHOT_WRAPPER_CPUS_H
#define PGHOT_WRAPPER_CPUS_H

#include <linux/types.h>

bool pghot_cpus_has_idle(int nid);

#endif /* PGHOT_WRAPPER_CPUS_H */
