/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_NODEMASK_TYPES_H
#define _LINUX_NODEMASK_TYPES_H

#include <linux/nodemask.h>

#endif /* _LINUX_NODEMASK_TYPES_H */
