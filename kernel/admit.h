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
void admit_return(int nid, unsigned int nr);
unsigned int admit_now(void);
unsigned int admit_next_second(int nid);

#endif /* PGHOT_ADMIT_H */
