/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory tiers and watermarks, which the kernel keeps to itself.
 */
#ifndef PGHOT_WRAPPER_PLACEMENT_H
#define PGHOT_WRAPPER_PLACEMENT_H

#include <linux/types.h>

bool placement_is_toptier(int nid);
bool placement_tiering_enabled(void);
bool placement_is_roomy(int nid);
bool placement_knows_demotion(void);
bool placement_can_demote(int nid);
bool placement_has_room(int nid, unsigned int nr_pages);
void placement_make_room(int nid, unsigned int nr_pages);

#endif /* PGHOT_WRAPPER_PLACEMENT_H */
