/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The kernel's NUMA balancing, which pauses where it is of no use
 */
#ifndef PGHOT_WRAPPER_BALANCING_H
#define PGHOT_WRAPPER_BALANCING_H

void pghot_balancing_pause(void);
void pghot_balancing_resume(void);

#endif /* PGHOT_WRAPPER_BALANCING_H */
