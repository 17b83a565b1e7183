/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Who chooses the sources: the administrator, or pghot by itself
 */
#ifndef PGHOT_POLICY_WAY_H
#define PGHOT_POLICY_WAY_H

#include <linux/types.h>

extern const struct textfile pghot_way_file;

int pghot_way_start(void);
void pghot_way_announce(void);
void pghot_way_stop(void);
bool pghot_way_is_auto(void);
int pghot_way_by_hand(unsigned int mask);

#endif /* PGHOT_POLICY_WAY_H */
