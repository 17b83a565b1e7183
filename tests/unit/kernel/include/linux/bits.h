/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_BITS_H
#define _LINUX_BITS_H

#define BIT(nr)			(1ul << (nr))
#define BIT_ULL(nr)		(1ull << (nr))
#define GENMASK_ULL(high, low)	(~0ull >> (63 - (high)) & ~0ull << (low))

#endif /* _LINUX_BITS_H */
