/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Room on fast nodes
 */
#ifndef PGHOT_PROMOTE_ROOM_H
#define PGHOT_PROMOTE_ROOM_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>

/**
 * struct room_waiter - somebody who waits for room
 * @list: in the list of them
 * @wait: woken when room was made
 */
struct room_waiter {
	struct list_head list;
	wait_queue_head_t *wait;
};

int pghot_room_init(void);
void pghot_room_exit(void);
void pghot_room_watch(struct room_waiter *waiter);
void pghot_room_unwatch(struct room_waiter *waiter);
unsigned int pghot_room_made(void);
void pghot_room_lacks(int nid, unsigned int size);
void pghot_room_taken(int nid, unsigned int size);

#endif /* PGHOT_PROMOTE_ROOM_H */
