/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEST_LINUX_LOG2_H
#define TEST_LINUX_LOG2_H

#define rounddown_pow_of_two(n)	(1ul << (63 - __builtin_clzl(n)))

#endif /* TEST_LINUX_LOG2_H */
