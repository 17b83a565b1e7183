/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all fuzz targets share: taking an input apart. A target defines fuzz_one(), which begins
 * with the same state for each input and calls assert() for what has to hold.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <linux/minmax.h>
#include <linux/types.h>

/* Ends a text within an input. */
#define INPUT_TEXT_END	0xff

/* The bytes of an input that are still to be used. */
struct input {
	const u8 *at;
	size_t left;
};

void fuzz_one(struct input *in);

/* Where printk() of the stand-ins for kernel headers writes to. */
char log_said[256];

/* The next number of so many bytes, the lowest first. An input that has ended gives zeros. */
static inline u64 input_bytes(struct input *in, unsigned int bytes)
{
	unsigned int nr = min_t(size_t, bytes, in->left);
	u64 value = 0;

	memcpy(&value, in->at, nr);
	in->at += nr;
	in->left -= nr;
	return value;
}

#define input_u8(in)	((u8)input_bytes(in, 1))
#define input_u16(in)	((u16)input_bytes(in, 2))
#define input_u32(in)	((u32)input_bytes(in, 4))
#define input_u64(in)	input_bytes(in, 8)

/* From 0 to @highest, which is a number of 16 bits at most. */
static inline unsigned int input_upto(struct input *in, unsigned int highest)
{
	return input_bytes(in, highest > 0xff ? 2 : 1) % (highest + 1);
}

/* A number of any size from 0 to @highest: small ones are as frequent as large ones. */
static inline u64 input_sized(struct input *in, u64 highest)
{
	u64 value = input_u64(in) >> input_upto(in, 63);

	return highest == ~0ull ? value : value % (highest + 1);
}

/* A copy of the next text of exactly its length @len, for the caller to free. */
static inline char *input_text(struct input *in, size_t *len)
{
	const u8 *end = in->left ? memchr(in->at, INPUT_TEXT_END, in->left) : NULL;
	char *text;

	*len = end ? (size_t)(end - in->at) : in->left;
	text = malloc(*len ?: 1);
	assert(text);
	if (*len)
		memcpy(text, in->at, *len);
	in->at += *len + !!end;
	in->left -= *len + !!end;
	return text;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };

	fuzz_one(&in);
	return 0;
}

#endif /* FUZZ_FUZZ_H */
