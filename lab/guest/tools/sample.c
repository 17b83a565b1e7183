// SPDX-License-Identifier: GPL-2.0
/*
 * Reads numbers of the kernel over time.
 *
 * Usage: sample MS FILE[:NAME]...
 *
 * Every MS milliseconds, until it is killed, prints a line: the monotonic clock in
 * nanoseconds and, for each FILE, the number in it or, with NAME, the number after NAME
 * in one of its lines, as in /proc/vmstat.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "now.h"

#define MAX_FILES	32
#define MAX_TEXT	65536

struct source {
	const char *argument;
	const char *name;	/* NULL: the whole file is the number */
	int fd;
};

static struct source sources[MAX_FILES];

static void source_open(struct source *s, const char *argument)
{
	const char *colon = strchr(argument, ':');
	char *file = strndup(argument, colon ? (size_t)(colon - argument) : strlen(argument));

	s->argument = argument;
	s->name = colon ? colon + 1 : NULL;
	s->fd = open(file, O_RDONLY);
	if (s->fd < 0)
		args_die(file);
	free(file);
}

/* The number in @text, or NULL if it has none of this name. */
static const char *find_number(const char *text, const char *name)
{
	size_t length;

	if (!name)
		return text;
	length = strlen(name);
	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, name, length) && text[length] == ' ')
			return text + length + 1;
	}
	return NULL;
}

static void source_print(const struct source *s)
{
	static char text[MAX_TEXT];
	const char *number;
	size_t size = 0;
	ssize_t more;

	/* The kernel gives long files in pieces. */
	do {
		more = pread(s->fd, text + size, sizeof(text) - 1 - size, size);
		if (more < 0)
			args_die(s->argument);
		size += more;
	} while (more);
	text[size] = '\0';
	number = find_number(text, s->name);
	if (!number)
		args_bad(s->argument, "is not in the file");
	printf(" %lld", strtoll(number, NULL, 10));
}

int main(int argc, char **argv)
{
	uint64_t period, next;
	struct timespec t;
	int i;

	args_program = "sample";
	if (argc < 3 || argc - 2 > MAX_FILES) {
		fprintf(stderr, "usage: sample MS FILE[:NAME]...\n");
		return 2;
	}
	period = args_number("MS", argv[1], 1, 60000) * (NSEC_PER_SEC / 1000);
	for (i = 0; i < argc - 2; i++)
		source_open(&sources[i], argv[i + 2]);

	for (next = now_ns();; next += period) {
		t.tv_sec = next / NSEC_PER_SEC;
		t.tv_nsec = next % NSEC_PER_SEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		printf("%" PRIu64, now_ns());
		for (i = 0; i < argc - 2; i++)
			source_print(&sources[i]);
		putchar('\n');
		fflush(stdout);
	}
}
