/* SPDX-License-Identifier: GPL-2.0 */
/* What is said to the log: a test may look at the last of it. */
#ifndef _LINUX_PRINTK_H
#define _LINUX_PRINTK_H

#include <stdio.h>

extern char log_said[256];

#define pr_err(...)	snprintf(log_said, sizeof(log_said), __VA_ARGS__)

#endif /* _LINUX_PRINTK_H */
