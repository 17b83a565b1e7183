/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_CPUTIME_H
#define BENCH_CPUTIME_H

#include <time.h>

/* CPU time of this thread, ns: a busy host disturbs it little. */
static inline double cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

#endif
