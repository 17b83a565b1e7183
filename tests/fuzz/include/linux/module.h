/* SPDX-License-Identifier: GPL-2.0 */
/* How a parameter of a module is set, which targets may do themselves. */
#ifndef _LINUX_MODULE_H
#define _LINUX_MODULE_H

#include <linux/moduleparam.h>

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *param);
	void (*free)(void *arg);
};

#endif /* _LINUX_MODULE_H */
