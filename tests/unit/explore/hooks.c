// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What the compiler calls
 *
 * With -fsanitize=thread the compiler calls these functions, whose names it knows, before each
 * access to memory, and in place of each atomic operation. Accesses of READ_ONCE() and WRITE_ONCE()
 * are volatile, which it tells apart.
 */
#include <stdlib.h>

#include "access.h"
#include "explore.h"

void __tsan_init(void)
{
}

void __tsan_atomic_thread_fence(int order)
{
	explore_limit(order == __ATOMIC_SEQ_CST, "other barriers than full ones");
	access_barrier();
}

void __tsan_read_range(void *at, size_t size)
{
	access_read(at, size, WEAK_PLAIN);
}

void __tsan_write_range(void *at, size_t size)
{
	access_write(at, size, WEAK_PLAIN);
}

#define PLAIN(_prefix, _bytes, _order)							\
void __tsan_##_prefix##read##_bytes(void *at)						\
{											\
	access_read(at, _bytes, _order);						\
}											\
											\
void __tsan_##_prefix##write##_bytes(void *at)						\
{											\
	access_write(at, _bytes, _order);						\
}

PLAIN(, 1, WEAK_PLAIN)
PLAIN(, 2, WEAK_PLAIN)
PLAIN(, 4, WEAK_PLAIN)
PLAIN(, 8, WEAK_PLAIN)
PLAIN(, 16, WEAK_PLAIN)
PLAIN(volatile_, 1, WEAK_RELAXED)
PLAIN(volatile_, 2, WEAK_RELAXED)
PLAIN(volatile_, 4, WEAK_RELAXED)
PLAIN(volatile_, 8, WEAK_RELAXED)

static enum weak_order order_of(int order)
{
	switch (order) {
	case __ATOMIC_RELAXED:
		return WEAK_RELAXED;
	case __ATOMIC_ACQUIRE:
		return WEAK_ACQUIRE;
	case __ATOMIC_RELEASE:
		return WEAK_RELEASE;
	case __ATOMIC_SEQ_CST:
		return WEAK_FULL;
	}
	explore_limit(false, "this memory order");
	abort();
}

u32 __tsan_atomic32_exchange(volatile u32 *at, u32 value, int order)
{
	return access_change(at, sizeof(*at), ACCESS_SET, value, order_of(order));
}

u64 __tsan_atomic64_fetch_add(volatile u64 *at, u64 value, int order)
{
	return access_change(at, sizeof(*at), ACCESS_ADD, value, order_of(order));
}

u64 __tsan_atomic64_fetch_and(volatile u64 *at, u64 value, int order)
{
	return access_change(at, sizeof(*at), ACCESS_AND, value, order_of(order));
}

u64 __tsan_atomic64_fetch_or(volatile u64 *at, u64 value, int order)
{
	return access_change(at, sizeof(*at), ACCESS_OR, value, order_of(order));
}

/* The functions of one size. */
#define ATOMIC(_type, _bits)								\
_type __tsan_atomic##_bits##_load(const volatile _type *at, int order)			\
{											\
	access_read(at, sizeof(*at), order_of(order));					\
	return *at;									\
}											\
											\
void __tsan_atomic##_bits##_store(volatile _type *at, _type value, int order)		\
{											\
	access_store(at, sizeof(*at), value, order_of(order));				\
}											\
											\
bool __tsan_atomic##_bits##_compare_exchange_strong(volatile _type *at, _type *old,	\
						    _type new, int order, int failed)	\
{											\
	u64 was = *old;									\
	bool done = access_compare(at, sizeof(*at), &was, new);				\
											\
	explore_limit(order == __ATOMIC_SEQ_CST && failed == order, "this cmpxchg");	\
	*old = was;									\
	return done;									\
}

ATOMIC(u8, 8)
ATOMIC(u16, 16)
ATOMIC(u32, 32)
ATOMIC(u64, 64)
