// SPDX-License-Identifier: GPL-2.0
#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *args_program;

void args_bad(const char *option, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: %s: ", args_program, option);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

uint64_t args_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	unsigned int shift = 0;
	uint64_t n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	switch (*end) {
	case 'G':
		shift += 10;
		/* fall through */
	case 'M':
		shift += 10;
		/* fall through */
	case 'K':
		shift += 10;
		end++;
	}
	if (*text < '0' || *text > '9' || *end)
		args_bad(option, "'%s' is not a whole number", text);
	if (errno || n > UINT64_MAX >> shift || n << shift < least || n << shift > most)
		args_bad(option, "%s is not within %llu..%llu", text, (unsigned long long)least,
			 (unsigned long long)most);
	return n << shift;
}

void args_die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", args_program, what, strerror(errno));
	exit(1);
}
