/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_HASH_H
#define _LINUX_HASH_H

#include <linux/types.h>

static inline u32 hash_long(unsigned long val, unsigned int bits)
{
	return val * 0x61c8864680b583ebull >> (64 - bits);
}

#endif /* _LINUX_HASH_H */
