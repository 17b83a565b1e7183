/* SPDX-License-Identifier: GPL-2.0 */
/* The guest's clock. */
#ifndef LAB_NOW_H
#define LAB_NOW_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC	UINT64_C(1000000000)

/* Nanoseconds since boot. */
static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

#endif
