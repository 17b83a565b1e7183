// SPDX-License-Identifier: GPL-2.0
#include "lines.h"

static void line_ends(struct lines *l)
{
	while (l->size && l->line[l->size - 1] == '\r')
		l->size--;
	l->line[l->size] = '\0';
	l->each(l->line);
	l->size = 0;
}

void lines_add(struct lines *l, const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (text[i] == '\n')
			line_ends(l);
		else if (l->size < LINES_LONGEST - 1)
			l->line[l->size++] = text[i];
	}
}
