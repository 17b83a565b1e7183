/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory tiers and watermarks, which the kernel keeps to itself.
 */
#ifndef PGHOT_WRAPPER_PLACEMENT_H
#define PGHOT_WRAPPER_PLACEMENT_H

#include <linux/types.h>

bool pghot_placement_is_toptier(int nid);
bool pghot_placement_tiering_enabled(void);
bool pghot_placement_is_roomy(int nid);
bool pghot_placement_knows_demotion(void);
bool pghot_placement_can_demote(int nid);
bool pghot_placement_has_room(int nid, unsigned int nr_pages);
void pghot_placement_make_room(int nid, unsigned int nr_pages);

#endif /* PGHOT_WRAPPER_PLACEMENT_H */
