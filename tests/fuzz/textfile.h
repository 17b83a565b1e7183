/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What holds for each text file in sysfs, whatever is written to it.
 */
#ifndef FUZZ_TEXTFILE_H
#define FUZZ_TEXTFILE_H

#include <linux/sysfs.h>

#include "core/textfile.h"
#include "fuzz.h"

/* What a file shows, which is one page at most and ends with a line. */
struct shown {
	char text[PAGE_SIZE];
	ssize_t len;
};

static inline void textfile_read(const struct textfile *file, struct shown *shown)
{
	memset(shown->text, 0, sizeof(shown->text));
	shown->len = file->show(shown->text);
	assert(shown->len >= 0 && shown->len < (ssize_t)PAGE_SIZE);
	assert(strlen(shown->text) == (size_t)shown->len);
	assert(!shown->len || shown->text[shown->len - 1] == '\n');
}

static inline bool textfile_shows(const struct textfile *file, const struct shown *expected)
{
	struct shown now;

	textfile_read(file, &now);
	return now.len == expected->len && !memcmp(now.text, expected->text, now.len);
}

/*
 * Writes @text to a file that takes what it shows. Either the file refuses it and shows what it
 * did before, or the file takes it, and what it shows then means the same. Returns 0 or the error.
 */
static inline int textfile_write(const struct textfile *file, const char *text, size_t len)
{
	static struct shown before, after;
	int ret;

	textfile_read(file, &before);
	ret = file->set(text, len);
	assert(ret <= 0);
	if (ret) {
		assert(textfile_shows(file, &before));
		return ret;
	}
	assert(!memchr(text, '\0', len));
	textfile_read(file, &after);
	assert(!file->set(after.text, after.len));
	assert(textfile_shows(file, &after));
	return 0;
}

#endif /* FUZZ_TEXTFILE_H */
