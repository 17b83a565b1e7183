/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Interface of the core
 *
 * The core: the records of hotness, and the functions through which sources report accesses.
 */
#ifndef PGHOT_CORE_CORE_H
#define PGHOT_CORE_CORE_H

void pghot_core_register(void);
int pghot_core_init(void);
void pghot_core_exit(void);

#endif /* PGHOT_CORE_CORE_H */
