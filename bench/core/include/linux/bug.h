/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_BUG_H
#define _LINUX_BUG_H

#include <assert.h>

/* What should never be ends the program. */
#define WARN_ON_ONCE(condition)	assert(!(condition))

#endif /* _LINUX_BUG_H */
