// SPDX-License-Identifier: GPL-2.0
/* Values that say whose they are, and as much of Redis's protocol as a load of them needs. */
#include <stdio.h>
#include <string.h>

#include "keyvalue.h"

/* "k" and ten digits */
#define KEY_BYTES	11

/* The first word names key and version; the others are multiples of it. */
static uint64_t first_word(uint32_t key, uint32_t version)
{
	return (uint64_t)version << 32 | key;
}

static uint64_t word_at(uint64_t first, size_t i)
{
	return i ? (first + i) * UINT64_C(0x9e3779b97f4a7c15) : first;
}

void keyvalue_fill(void *value, size_t bytes, uint32_t key, uint32_t version)
{
	uint64_t first = first_word(key, version), word;
	size_t i;

	for (i = 0; i < bytes / sizeof(word); i++) {
		word = word_at(first, i);
		memcpy((char *)value + i * sizeof(word), &word, sizeof(word));
	}
}

bool keyvalue_check(const void *value, size_t bytes, uint32_t key, uint32_t *version)
{
	uint64_t first, word, differ = 0;
	size_t i;

	memcpy(&first, value, sizeof(first));
	*version = first >> 32;
	for (i = 0; i < bytes / sizeof(word); i++) {
		memcpy(&word, (const char *)value + i * sizeof(word), sizeof(word));
		differ |= word ^ word_at(first, i);
	}
	return !differ && (uint32_t)first == key;
}

size_t keyvalue_get(char *out, uint32_t key)
{
	return snprintf(out, KEYVALUE_REQUEST_MAX, "*2\r\n$3\r\nGET\r\n$%d\r\nk%010u\r\n",
			KEY_BYTES, key);
}

size_t keyvalue_set(char *out, uint32_t key, uint32_t version, size_t bytes)
{
	size_t n = snprintf(out, KEYVALUE_REQUEST_MAX,
			    "*3\r\n$3\r\nSET\r\n$%d\r\nk%010u\r\n$%zu\r\n", KEY_BYTES, key, bytes);

	keyvalue_fill(out + n, bytes, key, version);
	memcpy(out + n + bytes, "\r\n", 2);
	return n + bytes + 2;
}

enum keyvalue_reply keyvalue_reply(const char *in, size_t in_bytes, size_t bytes, size_t *taken,
				   const char **value)
{
	const char *end = memchr(in, '\n', in_bytes);
	size_t length = 0;
	const char *digit;

	if (!end)
		return KEYVALUE_INCOMPLETE;
	*taken = end + 1 - in;
	if (*taken == 5 && !memcmp(in, "+OK\r\n", 5))
		return KEYVALUE_STORED;
	if (*in != '$')
		return KEYVALUE_WRONG;
	for (digit = in + 1; *digit >= '0' && *digit <= '9'; digit++)
		length = length * 10 + *digit - '0';
	if (digit == in + 1 || length != bytes)
		return KEYVALUE_WRONG;
	*value = end + 1;
	*taken += bytes + 2;
	return in_bytes < *taken ? KEYVALUE_INCOMPLETE : KEYVALUE_VALUE;
}
