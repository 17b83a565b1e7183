/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_NUMA_H
#define _LINUX_NUMA_H

#define NUMA_NO_NODE	(-1)

#endif /* _LINUX_NUMA_H */
