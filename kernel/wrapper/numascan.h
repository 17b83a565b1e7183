/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How often NUMA balancing scans for hint faults
 */
#ifndef PGHOT_WRAPPER_NUMASCAN_H
#define PGHOT_WRAPPER_NUMASCAN_H

struct task_struct;

void pghot_numascan_slow_down(struct task_struct *task);

#endif /* PGHOT_WRAPPER_NUMASCAN_H */
