/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Accesses of the explored code
 *
 * What the compiler tells of each access to memory. See access.c.
 */
#ifndef EXPLORE_ACCESS_H
#define EXPLORE_ACCESS_H

#include <stddef.h>

#include <linux/types.h>

#include "weak.h"

/**
 * enum access_change - what is made of a value
 * @ACCESS_SET: the operand
 * @ACCESS_ADD: the sum of both
 * @ACCESS_AND: the bits that both have
 * @ACCESS_OR: the bits that one has
 */
enum access_change {
	ACCESS_SET,
	ACCESS_ADD,
	ACCESS_AND,
	ACCESS_OR,
};

/* For scenarios. */
void access_share(const char *name, void *start, size_t size);
void access_unshare(void);
void access_lock(unsigned int *lock);

/* For the compiler (hooks.c). */
void access_read(const volatile void *at, size_t size, enum weak_order order);
void access_write(volatile void *at, size_t size, enum weak_order order);
void access_store(volatile void *at, size_t size, u64 value, enum weak_order order);
u64 access_change(volatile void *at, size_t size, enum access_change change, u64 operand,
		  enum weak_order order);
bool access_compare(volatile void *at, size_t size, u64 *old, u64 new);
void access_barrier(void);

/* For the search. */
void access_forget(void);
void access_begin(void);
void access_finish(void);
void access_settle(void);
void access_undo(void);
u64 access_newest(const void *at);

#endif /* EXPLORE_ACCESS_H */
