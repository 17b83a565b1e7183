/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Following the slow nodes
 *
 * Which nodes are slow changes as memory comes and goes. What runs for each of them is started and
 * stopped accordingly.
 */
#ifndef PGHOT_PROMOTE_TIERS_H
#define PGHOT_PROMOTE_TIERS_H

struct textfile;

extern const struct textfile pghot_slow_nodes_file;

int pghot_tiers_load(void);
int pghot_tiers_start(void);
void pghot_tiers_announce(void);
void pghot_tiers_stop(void);

#endif /* PGHOT_PROMOTE_TIERS_H */
