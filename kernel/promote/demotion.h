/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watching the kernel's demotion, the other half of tiering.
 */
#ifndef PGHOT_DEMOTION_H
#define PGHOT_DEMOTION_H

void pghot_demotion_start(void);
void pghot_demotion_stop(void);

#endif /* PGHOT_DEMOTION_H */
