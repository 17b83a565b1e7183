/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which nodes are slow, and what runs for each of them, as memory comes and goes.
 */
#ifndef PGHOT_TIERS_H
#define PGHOT_TIERS_H

#include <linux/nodemask.h>

extern nodemask_t pghot_slow_nodes;

int tiers_start(void);
void tiers_stop(void);

/**
 * tiers_is_slow() - does pghot promote from this node?
 * @nid: node id
 *
 * Any context.
 */
static __always_inline bool tiers_is_slow(int nid)
{
	return node_isset(nid, pghot_slow_nodes);
}

#endif /* PGHOT_TIERS_H */
