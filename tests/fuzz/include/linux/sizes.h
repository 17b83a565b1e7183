/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SIZES_H
#define _LINUX_SIZES_H

#define SZ_1M	0x100000

#endif /* _LINUX_SIZES_H */
