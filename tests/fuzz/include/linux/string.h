/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name what the C library does not have. */
#ifndef FUZZ_STRING_H
#define FUZZ_STRING_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include_next <linux/string.h>
#include <linux/array_size.h>

/* Copies what there is room for. Returns -E2BIG if that is not all of it. */
static inline ssize_t strscpy_sized(char *to, const char *from, size_t room)
{
	size_t len = strnlen(from, room);
	bool fits = len < room;

	memcpy(to, from, fits ? len + 1 : room);
	to[fits ? len : room - 1] = '\0';
	return fits ? (ssize_t)len : -E2BIG;
}

#define strscpy(to, from)	strscpy_sized(to, from, sizeof(to))

static inline char *kmemdup_nul(const char *from, size_t len, unsigned int gfp)
{
	char *copy = malloc(len + 1);

	memcpy(copy, from, len);
	copy[len] = '\0';
	return copy;
}

/* Whether two texts are the same, but for a newline at the end of either. */
static inline bool sysfs_streq(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b);

	len_a -= len_a && a[len_a - 1] == '\n';
	len_b -= len_b && b[len_b - 1] == '\n';
	return len_a == len_b && !memcmp(a, b, len_a);
}

static inline int match_string(const char *const *texts, int nr, const char *text)
{
	int i;

	for (i = 0; i < nr; i++)
		if (sysfs_streq(texts[i], text))
			return i;
	return -EINVAL;
}

#define sysfs_match_string(texts, text)	match_string(texts, ARRAY_SIZE(texts), text)

#endif /* FUZZ_STRING_H */
