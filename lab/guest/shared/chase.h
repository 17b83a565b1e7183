/* SPDX-License-Identifier: GPL-2.0 */
/* Loads that depend on each other: each one loads the address of the next. */
#ifndef LAB_CHASE_H
#define LAB_CHASE_H

#include <stdint.h>

/* Of a generator that meets all of a power of two. */
#define CHASE_FACTOR	UINT64_C(2862933555777941757)

#define CHASE_UNROLL	16
#define CHASE_INSNS	(1.0 + 2.0 / CHASE_UNROLL)	/* per access */

/*
 * What comes after number @i of @n in a cycle that meets all of them, in an order that no
 * prefetcher knows: a full-period linear congruential generator (multiplier 1 mod 4, odd
 * increment, power-of-two modulus @n).
 */
static inline uint64_t chase_next(uint64_t i, uint64_t n)
{
	return (i * CHASE_FACTOR + UINT64_C(3037000493)) & (n - 1);
}

/* Follow the links from @at @n times, a multiple of CHASE_UNROLL. Where that ends. */
static inline void *chase(void *at, uint64_t n)
{
#ifdef __x86_64__
	n /= CHASE_UNROLL;
	__asm__ volatile("1:\n\t"
			 ".rept 16\n\t"
			 "mov (%0), %0\n\t"
			 ".endr\n\t"
			 "sub $1, %1\n\t"
			 "jnz 1b"
			 : "+r"(at), "+r"(n) : : "memory", "cc");
#else
	/* The instructions are not counted here, and each load waits for the one before. */
	while (n--)
		at = *(void *volatile *)at;
#endif
	return at;
}

#endif
