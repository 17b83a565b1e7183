/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: CPU time of the current task
 */
#ifndef PGHOT_WRAPPER_CPUTIME_H
#define PGHOT_WRAPPER_CPUTIME_H

#include <linux/types.h>

u64 pghot_cputime_ns(void);

#endif /* PGHOT_WRAPPER_CPUTIME_H */
