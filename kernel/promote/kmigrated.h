/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Starting and stopping kmigrated
 */
#ifndef PGHOT_PROMOTE_KMIGRATED_H
#define PGHOT_PROMOTE_KMIGRATED_H

struct hot_node;
struct kmigrated;
struct tunable;

extern struct tunable pghot_kmigrated_sleep_ms;

struct kmigrated *pghot_kmigrated_start(struct hot_node *node);
void pghot_kmigrated_stop(struct kmigrated *kmigrated);

#endif /* PGHOT_PROMOTE_KMIGRATED_H */
