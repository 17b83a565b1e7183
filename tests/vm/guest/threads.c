// SPDX-License-Identifier: GPL-2.0
/*
 * A process of many threads that do nothing.
 *
 * Usage: threads NUMBER
 *
 * Prints "ready" when they are there, and keeps them until it is killed.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;
	unsigned long nr;

	if (argc != 2) {
		fprintf(stderr, "usage: threads NUMBER\n");
		return 2;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (nr = strtoul(argv[1], NULL, 0); nr; nr--) {
		if (pthread_create(&thread, &attr, wait_for_ever, NULL)) {
			perror("threads");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	wait_for_ever(NULL);
	return 0;
}
