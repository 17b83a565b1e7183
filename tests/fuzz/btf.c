// SPDX-License-Identifier: GPL-2.0
/*
 * BTF, the description of a kernel's types: whatever the bytes are, nothing beyond them is read,
 * and texts that are written end where there is room for them.
 */
#include <stdio.h>

#include "fuzz.h"
#include "wrapper/typeinfo.c"

/* Types that are looked at, and members that are looked for in one: more takes too long. */
#define TYPES	64
#define MEMBERS	4

static const u32 sizes[] = { 1, 2, 9, 40, 256 };

/* With more room the text is longer, and otherwise the same. */
static void check_prototype(const struct typeinfo *info, u32 id)
{
	char *previous = NULL;
	bool fitted = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *text = malloc(sizes[i]);
		bool fits = pghot_typeinfo_prototype(info, id, text, sizes[i]);

		assert(strnlen(text, sizes[i]) < sizes[i]);
		if (previous)
			assert(!strncmp(text, previous, strlen(previous)));
		if (fitted)
			assert(fits && !strcmp(text, previous));
		free(previous);
		previous = text;
		fitted = fits;
	}
	free(previous);
}

static void check_members(const struct typeinfo *info, u32 id)
{
	unsigned int kind = pghot_typeinfo_kind(info, id);
	struct typeinfo_place place;
	u32 at = 0, i;

	/* Names that are there, whoever has them. */
	for (i = 0; i < MEMBERS && at < info->strings_len; i++) {
		const char *name = string(info, at);

		if (*name && pghot_typeinfo_member(info, id, name, &place))
			assert(kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION);
		at += strlen(name) + 1;
	}
}

static void check_type(const struct typeinfo *info, u32 id)
{
	const char *name = pghot_typeinfo_name(info, id);

	assert(!*name || (name >= info->strings && name < info->strings + info->strings_len));
	check_prototype(info, id);
	check_members(info, id);
}

void fuzz_one(struct input *in)
{
	struct typeinfo info;
	u32 *offsets, i;

	if (!pghot_typeinfo_open(&info, in->at, in->left))
		return;
	offsets = malloc(info.nr * sizeof(*offsets) ?: 1);
	pghot_typeinfo_index(&info, offsets);
	for (i = 1; i < info.nr; i++)
		assert(offsets[i] >= offsets[i - 1] + TYPE_WORDS * sizeof(u32) &&
		       offsets[i] < info.types_len);
	for (i = 1; i <= min(info.nr, TYPES); i++)
		check_type(&info, i);
	assert(pghot_typeinfo_kind(&info, 0) == BTF_KIND_UNKN);
	assert(pghot_typeinfo_kind(&info, info.nr + 1) == BTF_KIND_UNKN);
	check_type(&info, 0);
	check_type(&info, info.nr + 1);
	check_type(&info, ~0u);
	free(offsets);
}
