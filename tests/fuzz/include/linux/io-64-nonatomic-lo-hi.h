/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of a device, which a target stands in for. */
#ifndef _LINUX_IO_64_NONATOMIC_LO_HI_H
#define _LINUX_IO_64_NONATOMIC_LO_HI_H

#include <linux/err.h>
#include <linux/string.h>
#include <linux/types.h>

u64 readq(const void *at);
u16 readw(const void *at);
void writeq(u64 value, void *at);
void writew(u16 value, void *at);

#endif /* _LINUX_IO_64_NONATOMIC_LO_HI_H */
