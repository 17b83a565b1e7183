// SPDX-License-Identifier: GPL-2.0
/*
 * Tries to open a tracepoint as a performance event, of all that its own process does.
 *
 * Usage: perf_open ID
 *
 * ID is the tracepoint's number. Prints "opened", or why not.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};

	if (argc != 2) {
		fprintf(stderr, "usage: perf_open ID\n");
		return 2;
	}
	attr.config = strtoul(argv[1], NULL, 0);
	puts(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0 ? strerror(errno) : "opened");
	return 0;
}
