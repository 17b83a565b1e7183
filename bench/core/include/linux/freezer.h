/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing is suspended. */
#ifndef _LINUX_FREEZER_H
#define _LINUX_FREEZER_H

#include <stdbool.h>

#define set_freezable()		((void)0)
#define freezing(task)		false

#endif /* _LINUX_FREEZER_H */
