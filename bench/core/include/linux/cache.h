/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_CACHE_H
#define _LINUX_CACHE_H

#define L1_CACHE_BYTES		64

#endif /* _LINUX_CACHE_H */
