/* SPDX-License-Identifier: GPL-2.0 */
/* Values that say whose they are, and as much of Redis's protocol as a load of them needs. */
#ifndef LAB_KEYVALUE_H
#define LAB_KEYVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request without its value is no longer than this. */
#define KEYVALUE_REQUEST_MAX	96

enum keyvalue_reply {
	KEYVALUE_INCOMPLETE,	/* there must be more to come */
	KEYVALUE_STORED,
	KEYVALUE_VALUE,
	KEYVALUE_WRONG,		/* an error, no value, or one of another size */
};

/* Every word of a value depends on its key, its version and the word's place in it. */
void keyvalue_fill(void *value, size_t bytes, uint32_t key, uint32_t version);

/* True if all of the value is @key's, of one version; which is in @version. */
bool keyvalue_check(const void *value, size_t bytes, uint32_t key, uint32_t *version);

/* Write a request to @out; its length. */
size_t keyvalue_get(char *out, uint32_t key);
size_t keyvalue_set(char *out, uint32_t key, uint32_t version, size_t bytes);

/* The first reply of @in. @taken: its length; @value: where a value of @bytes lies in it. */
enum keyvalue_reply keyvalue_reply(const char *in, size_t in_bytes, size_t bytes, size_t *taken,
				   const char **value);

#endif
