/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Watching the kernel's demotion
 */
#ifndef PGHOT_PROMOTE_DEMOTION_H
#define PGHOT_PROMOTE_DEMOTION_H

void pghot_demotion_start(void);
void pghot_demotion_stop(void);

#endif /* PGHOT_PROMOTE_DEMOTION_H */
