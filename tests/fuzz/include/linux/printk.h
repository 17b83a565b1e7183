/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name the other levels. */
#ifndef FUZZ_PRINTK_H
#define FUZZ_PRINTK_H

#include_next <linux/printk.h>

#define pr_warn		pr_err
#define pr_info		pr_err

#endif /* FUZZ_PRINTK_H */
