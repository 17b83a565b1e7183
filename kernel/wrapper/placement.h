/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Memory tiers and watermarks
 *
 * The kernel does not export them.
 */
#ifndef PGHOT_WRAPPER_PLACEMENT_H
#define PGHOT_WRAPPER_PLACEMENT_H

#include <linux/types.h>

bool pghot_placement_is_toptier(int nid);
bool pghot_placement_tiering_enabled(void);
bool pghot_placement_is_roomy(int nid);
bool pghot_placement_knows_demotion(void);
bool pghot_placement_can_demote(int nid);
bool pghot_placement_has_room(int nid, unsigned int nr_pages, unsigned int on_way);
long pghot_placement_free(int nid);
long pghot_placement_free_all(int nid);
long pghot_placement_free_huge(int nid);
unsigned long pghot_placement_mapped(int nid);
unsigned long pghot_placement_huge(int nid);
unsigned long pghot_placement_locked(int nid);
unsigned long pghot_placement_cached(int nid);
int pghot_placement_demotion_target(int nid);
bool pghot_placement_demotion_enabled(void);
void pghot_placement_make_room(int nid, unsigned int nr_pages);

#endif /* PGHOT_WRAPPER_PLACEMENT_H */
