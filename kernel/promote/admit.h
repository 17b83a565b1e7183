/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Asking the throttle of a target node
 */
#ifndef PGHOT_PROMOTE_ADMIT_H
#define PGHOT_PROMOTE_ADMIT_H

#include <linux/types.h>

#include "promote/throttle.h"

extern struct tunable pghot_promote_rate_limit_MBps;
extern struct tunable pghot_promote_threshold_window_ms;

int pghot_admit_init(void);
void pghot_admit_exit(void);
enum throttle_verdict pghot_admit(int nid, unsigned int nr, unsigned int age_ms, bool counted);
void pghot_admit_return(int nid, unsigned int nr);
unsigned int pghot_admit_now(void);
unsigned int pghot_admit_next_second(int nid);

#endif /* PGHOT_PROMOTE_ADMIT_H */
