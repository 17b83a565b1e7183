/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Which fast node has room for a hot page
 */
#ifndef PGHOT_PROMOTE_TARGET_H
#define PGHOT_PROMOTE_TARGET_H

#include <linux/nodemask.h>

struct tunable;

extern struct tunable pghot_target_nid;

int pghot_target_nearest(int nid);
int pghot_target_first(int slow, int preferred);
bool pghot_target_all_in(const nodemask_t *nodes);
bool pghot_target_exists(const nodemask_t *allowed);
int pghot_target_pick(int slow, int preferred, unsigned int nr_pages, const nodemask_t *allowed);

#endif /* PGHOT_PROMOTE_TARGET_H */
