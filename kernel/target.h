/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which fast node a hot page goes to.
 */
#ifndef PGHOT_TARGET_H
#define PGHOT_TARGET_H

#include <linux/nodemask.h>

int target_nearest(int nid);
bool target_all_in(const nodemask_t *nodes);
bool target_exists(const nodemask_t *allowed);
int target_pick(int slow, int preferred, unsigned int nr_pages, const nodemask_t *allowed);

#endif /* PGHOT_TARGET_H */
