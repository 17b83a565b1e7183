/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_JIFFIES_H
#define _LINUX_JIFFIES_H

#define msecs_to_jiffies(ms)	((ms) / 4)

#endif /* _LINUX_JIFFIES_H */
