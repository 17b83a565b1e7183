/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watching the kernel's demotion, the other half of tiering.
 */
#ifndef PGHOT_DEMOTION_H
#define PGHOT_DEMOTION_H

void demotion_start(void);
void demotion_stop(void);

#endif /* PGHOT_DEMOTION_H */
