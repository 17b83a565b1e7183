/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_COMPILER_ATTRIBUTES_H
#define _LINUX_COMPILER_ATTRIBUTES_H

#define __aligned(x)		__attribute__((__aligned__(x)))
#define fallthrough		__attribute__((__fallthrough__))
#define __printf(format, first)	__attribute__((__format__(printf, format, first)))

#endif /* _LINUX_COMPILER_ATTRIBUTES_H */
