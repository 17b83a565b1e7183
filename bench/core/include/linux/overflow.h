/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_OVERFLOW_H
#define _LINUX_OVERFLOW_H

#define flex_array_size(p, member, n)	((n) * sizeof(*(p)->member))
#define struct_size(p, member, n)	(sizeof(*(p)) + flex_array_size(p, member, n))

#endif /* _LINUX_OVERFLOW_H */
