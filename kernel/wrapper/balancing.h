/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The kernel's NUMA balancing: pausing it, and telling it where memory is used
 */
#ifndef PGHOT_WRAPPER_BALANCING_H
#define PGHOT_WRAPPER_BALANCING_H

#include <linux/types.h>

struct folio;

void pghot_balancing_pause(void);
void pghot_balancing_resume(void);
bool pghot_balancing_moves_slow(void);
void pghot_balancing_note_use(struct folio *folio, int nid);

#endif /* PGHOT_WRAPPER_BALANCING_H */
