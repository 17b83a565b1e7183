/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Finding what the kernel does not export
 */
#ifndef PGHOT_WRAPPER_SYMBOLS_H
#define PGHOT_WRAPPER_SYMBOLS_H

#include <linux/types.h>

struct kobject;

int pghot_symbols_resolve(void);
bool pghot_symbols_known(const char *name);
struct kobject *pghot_symbols_mm_kobj(void);

#endif /* PGHOT_WRAPPER_SYMBOLS_H */
