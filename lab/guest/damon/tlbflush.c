// SPDX-License-Identifier: GPL-2.0
/*
 * Has TLBs forget, which QEMU's do not by themselves: they grow with what is used.
 *
 * Usage: tlbflush US
 *
 * Goes to the background. There, until it is killed, a thread on each CPU that it may use wakes up
 * every US microseconds. It has an address space of its own, so that each switch between it and
 * another process flushes the CPU's TLB.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "now.h"

static uint64_t period;

static void *wake_up(void *unused)
{
	uint64_t next = now_ns();
	struct timespec t;

	(void)unused;
	for (;;) {
		next += period;
		t.tv_sec = next / NSEC_PER_SEC;
		t.tv_nsec = next % NSEC_PER_SEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	return NULL;
}

/* Wake up on @cpu, before whatever runs there. */
static void start(int cpu)
{
	struct sched_param first = { .sched_priority = 1 };
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t one;
	int error;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &first);
	error = pthread_create(&thread, &attr, wake_up, NULL);
	if (error) {
		errno = error;
		args_die("pthread_create");
	}
	pthread_attr_destroy(&attr);
}

int main(int argc, char **argv)
{
	cpu_set_t online;
	int cpu;

	args_program = "tlbflush";
	if (argc != 2) {
		fprintf(stderr, "usage: tlbflush US\n");
		return 2;
	}
	period = args_number("US", argv[1], 100, 1000000) * (NSEC_PER_SEC / 1000000);
	if (sched_getaffinity(0, sizeof(online), &online))
		args_die("sched_getaffinity");
	if (daemon(0, 1))
		args_die("daemon");
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &online))
			start(cpu);
	pause();
	return 0;
}
