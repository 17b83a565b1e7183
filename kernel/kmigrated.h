/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One thread for each slow node promotes what is ready there.
 */
#ifndef PGHOT_KMIGRATED_H
#define PGHOT_KMIGRATED_H

struct hot_node;
struct kmigrated;

struct kmigrated *kmigrated_start(struct hot_node *node);
void kmigrated_stop(struct kmigrated *kmigrated);

#endif /* PGHOT_KMIGRATED_H */
