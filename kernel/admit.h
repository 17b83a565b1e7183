/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking the throttle of a target node.
 */
#ifndef PGHOT_ADMIT_H
#define PGHOT_ADMIT_H

#include <linux/types.h>

#include "throttle.h"

int admit_init(void);
void admit_exit(void);
enum throttle_verdict admit(int nid, unsigned int nr, unsigned int age_ms, bool counted);
unsigned int admit_wait_ms(int nid);

#endif /* PGHOT_ADMIT_H */
