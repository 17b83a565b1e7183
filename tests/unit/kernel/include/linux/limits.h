/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_LIMITS_H
#define _LINUX_LIMITS_H

#include <limits.h>
#include <stdint.h>

#ifndef U64_MAX
#define U64_MAX		UINT64_MAX
#endif

#endif /* _LINUX_LIMITS_H */
