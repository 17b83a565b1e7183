/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FUZZ_LIMITS_H
#define FUZZ_LIMITS_H

#include_next <linux/limits.h>
#include <stdint.h>

#define PATH_MAX	4096
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX

#endif /* FUZZ_LIMITS_H */
