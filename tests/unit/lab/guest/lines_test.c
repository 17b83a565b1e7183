// SPDX-License-Identifier: GPL-2.0
/* lines: whole lines, however the text was cut. */
#include <string.h>

#include "lines.h"

#include "check.h"

static char seen[3 * LINES_LONGEST];

static void each(const char *line)
{
	strcat(seen, "<");
	strcat(seen, line);
	strcat(seen, ">");
}

static void add(struct lines *l, const char *text)
{
	lines_add(l, text, strlen(text));
}

int main(void)
{
	struct lines l = { .each = each };
	char longest[LINES_LONGEST + 10];

	add(&l, "one\ntw");
	CHECK(!strcmp(seen, "<one>"));
	add(&l, "o\r\n\nthree\r");
	CHECK(!strcmp(seen, "<one><two><>"));
	add(&l, "\n");
	CHECK(!strcmp(seen, "<one><two><><three>"));

	/* Of a line that is too long the begin stays, and the next line is whole again. */
	seen[0] = '\0';
	memset(longest, 'x', sizeof(longest));
	lines_add(&l, longest, sizeof(longest));
	CHECK(!seen[0]);
	add(&l, "\nnext\n");
	CHECK(strlen(seen) == LINES_LONGEST - 1 + strlen("<><next>"));
	CHECK(strstr(seen, "x><next>"));
	return check_report();
}
