/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Promotion
 *
 * Promotion leads from a ready record to a page on a fast node.
 */
#ifndef PGHOT_PROMOTE_PROMOTE_H
#define PGHOT_PROMOTE_PROMOTE_H

void pghot_promote_register(void);
int pghot_promote_load(void);
int pghot_promote_start(void);
void pghot_promote_announce(void);
void pghot_promote_stop(void);

#endif /* PGHOT_PROMOTE_PROMOTE_H */
