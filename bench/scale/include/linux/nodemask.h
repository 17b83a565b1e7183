/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCALE_NODEMASK_H
#define SCALE_NODEMASK_H

#include_next <linux/nodemask.h>

#define nodes_weight(mask)	(nodes_empty(mask) ? 0 : 1)

#endif /* SCALE_NODEMASK_H */
