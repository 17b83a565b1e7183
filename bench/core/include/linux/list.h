/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_LIST_H
#define _LINUX_LIST_H

#include <linux/kernel.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)	struct list_head name = { &(name), &(name) }

static inline void list_add(struct list_head *new, struct list_head *head)
{
	new->next = head->next;
	new->prev = head;
	head->next->prev = new;
	head->next = new;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_next(pos, member) \
	container_of((pos)->member.next, __typeof__(*(pos)), member)

#define list_for_each_entry_safe(pos, n, head, member)				\
	for (pos = container_of((head)->next, __typeof__(*(pos)), member),	\
	     n = list_next(pos, member); &pos->member != (head);		\
	     pos = n, n = list_next(n, member))

#endif /* _LINUX_LIST_H */
