/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Reading BTF
 *
 * BTF is the type information that a kernel carries. The functions that read it are pure: they
 * know only the bytes that they are given, and check all that these say.
 */
#ifndef PGHOT_WRAPPER_TYPEINFO_H
#define PGHOT_WRAPPER_TYPEINFO_H

#include <linux/types.h>

/**
 * struct typeinfo - BTF that is being read
 * @types: the types, one behind the other
 * @strings: their names, of which the last ends with a null byte
 * @types_len: length of @types, bytes
 * @strings_len: length of @strings, bytes
 * @nr: number of types; their ids are 1 to @nr, and 0 is void
 * @offsets: by id - 1, where in @types each is; from pghot_typeinfo_index()
 */
struct typeinfo {
	const u8 *types;
	const char *strings;
	u32 types_len;
	u32 strings_len;
	u32 nr;
	const u32 *offsets;
};

/**
 * struct typeinfo_place - where a member of a structure is
 * @bit: its first bit, from the structure's beginning
 * @bits: its size
 */
struct typeinfo_place {
	u64 bit;
	u64 bits;
};

bool pghot_typeinfo_open(struct typeinfo *info, const void *data, size_t size);
void pghot_typeinfo_index(struct typeinfo *info, u32 *offsets);
unsigned int pghot_typeinfo_kind(const struct typeinfo *info, u32 id);
const char *pghot_typeinfo_name(const struct typeinfo *info, u32 id);
bool pghot_typeinfo_prototype(const struct typeinfo *info, u32 id, char *text, size_t size);
bool pghot_typeinfo_member(const struct typeinfo *info, u32 id, const char *name,
			   struct typeinfo_place *place);

#endif /* PGHOT_WRAPPER_TYPEINFO_H */
