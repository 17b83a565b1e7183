/* SPDX-License-Identifier: GPL-2.0 */
/* Lines out of pieces of text, as they are read. */
#ifndef LAB_LINES_H
#define LAB_LINES_H

#include <stddef.h>

/* Of a longer line only this much is looked at, and the end of the line is lost. */
#define LINES_LONGEST	4096

struct lines {
	void (*each)(const char *line);	/* is given each line without its end */
	char line[LINES_LONGEST];
	size_t size;
};

/* The next @size bytes. A carriage return before the end of a line is no part of it. */
void lines_add(struct lines *l, const char *text, size_t size);

#endif
