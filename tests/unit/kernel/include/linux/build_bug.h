/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_BUILD_BUG_H
#define _LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#endif /* _LINUX_BUILD_BUG_H */
