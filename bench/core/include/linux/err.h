/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_ERR_H
#define _LINUX_ERR_H

#define ERR_PTR(error)		((void *)(long)(error))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= -4095ul)

#endif /* _LINUX_ERR_H */
