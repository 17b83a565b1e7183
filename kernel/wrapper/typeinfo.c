// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Parsing BTF
 *
 * Every offset and every length is checked before it is used.
 */
#include <linux/array_size.h>
#include <linux/btf.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "wrapper/typeinfo.h"

/* What is read of BTF's header. Newer kernels know of more, which a kernel need not have. */
#define HEAD_LEN	(offsetof(struct btf_header, str_len) + sizeof(u32))

/* Header of a type in BTF: name, info, size or type; in u32. */
#define TYPE_WORDS	3
#define TYPE_NAME	0
#define TYPE_INFO	1
#define TYPE_SIZE	2	/* or the id of the type that it refers to */

/* Pointers and qualifiers that one type has, and prototypes within prototypes, at most. */
#define CHAIN_MAX	16
#define POINTERS_MAX	8
#define DEPTH_MAX	4
/* Members that are looked at to find one. */
#define MEMBERS_MAX	65536

#define QUAL_CONST	1
#define QUAL_VOLATILE	2
#define QUAL_RESTRICT	4

/* The words of BTF need not be aligned. */
static u32 load(const u8 *from)
{
	u32 word;

	memcpy(&word, from, sizeof(word));
	return word;
}

/* Length in bytes of the type at an offset, 0 if it is not all there. */
static u32 type_len(const struct typeinfo *info, u32 at)
{
	u32 room = info->types_len - at, words = TYPE_WORDS, flags, nr;

	if (room < TYPE_WORDS * sizeof(u32))
		return 0;
	flags = load(info->types + at + TYPE_INFO * sizeof(u32));
	nr = BTF_INFO_VLEN(flags);
	switch (BTF_INFO_KIND(flags)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		words += 1;
		break;
	case BTF_KIND_ARRAY:
		words += 3;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		words += 3 * nr;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		words += 2 * nr;
		break;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		break;
	default:
		return 0;
	}
	return words * sizeof(u32) <= room ? words * sizeof(u32) : 0;
}

/**
 * pghot_typeinfo_open() - begin to read BTF
 * @info: filled in, except for its index
 * @data: the BTF, which must stay as it is while @info is in use
 * @size: its length, bytes
 *
 * Any context. Goes through all types.
 *
 * Return: false if this is not BTF, or has a part that is cut off or not known.
 */
bool pghot_typeinfo_open(struct typeinfo *info, const void *data, size_t size)
{
	struct btf_header head;
	size_t room;
	u32 at, len;

	if (size < HEAD_LEN)
		return false;
	memcpy(&head, data, HEAD_LEN);
	if (head.magic != BTF_MAGIC || head.version != BTF_VERSION ||
	    head.hdr_len < HEAD_LEN || head.hdr_len > size)
		return false;
	room = size - head.hdr_len;
	if (head.type_off > room || head.type_len > room - head.type_off ||
	    head.str_off > room || head.str_len > room - head.str_off || !head.str_len)
		return false;

	info->types = (const u8 *)data + head.hdr_len + head.type_off;
	info->types_len = head.type_len;
	info->strings = (const char *)data + head.hdr_len + head.str_off;
	info->strings_len = head.str_len;
	if (info->strings[info->strings_len - 1])
		return false;
	info->nr = 0;
	for (at = 0; at < info->types_len; at += len) {
		len = type_len(info, at);
		if (!len)
			return false;
		info->nr++;
	}
	return true;
}

/**
 * pghot_typeinfo_index() - make types be found by id
 * @info: from pghot_typeinfo_open()
 * @offsets: room for as many numbers as @info has types, kept as long as @info
 *
 * Any context. The functions below need it.
 */
void pghot_typeinfo_index(struct typeinfo *info, u32 *offsets)
{
	u32 at = 0, i;

	for (i = 0; i < info->nr; i++) {
		offsets[i] = at;
		at += type_len(info, at);
	}
	info->offsets = offsets;
}

/* One of the words of a type that exists. */
static u32 word(const struct typeinfo *info, u32 id, u32 nr)
{
	return load(info->types + info->offsets[id - 1] + nr * sizeof(u32));
}

static u32 nr_parts(const struct typeinfo *info, u32 id)
{
	return BTF_INFO_VLEN(word(info, id, TYPE_INFO));
}

static bool has_flag(const struct typeinfo *info, u32 id)
{
	return BTF_INFO_KFLAG(word(info, id, TYPE_INFO));
}

static const char *string(const struct typeinfo *info, u32 at)
{
	return at < info->strings_len ? info->strings + at : "";
}

/**
 * pghot_typeinfo_kind() - what kind of a type is this?
 * @info: the BTF, with index
 * @id: any number
 *
 * Any context.
 *
 * Return: a kind of BTF, such as BTF_KIND_STRUCT; BTF_KIND_UNKN if no type has this id.
 */
unsigned int pghot_typeinfo_kind(const struct typeinfo *info, u32 id)
{
	return id && id <= info->nr ? BTF_INFO_KIND(word(info, id, TYPE_INFO)) : BTF_KIND_UNKN;
}

/**
 * pghot_typeinfo_name() - name of a type
 * @info: the BTF, with index
 * @id: any number
 *
 * Any context.
 *
 * Return: the name, empty if it has none or no type has this id.
 */
const char *pghot_typeinfo_name(const struct typeinfo *info, u32 id)
{
	return pghot_typeinfo_kind(info, id) == BTF_KIND_UNKN ? "" :
							  string(info, word(info, id, TYPE_NAME));
}

/* Text that is being written: ends with a null byte, and full if it had to be cut. */
struct text {
	char *buf;
	size_t size;
	size_t len;
	bool full;
};

static void put(struct text *text, const char *what)
{
	for (; *what; what++) {
		if (text->len + 1 >= text->size) {
			text->full = true;
			break;
		}
		text->buf[text->len++] = *what;
	}
	text->buf[text->len] = '\0';
}

/* Compilers name some integer types in another way than people do. */
static const char *int_name(const char *name)
{
	static const char *const spellings[][2] = {
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spellings); i++)
		if (!strcmp(name, spellings[i][0]))
			return spellings[i][1];
	return name;
}

static void put_number(struct text *text, u32 number)
{
	char digits[11];
	unsigned int at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = '0' + number % 10;
		number /= 10;
	} while (number);
	put(text, digits + at);
}

static unsigned int qualifier(unsigned int kind)
{
	switch (kind) {
	case BTF_KIND_CONST:
		return QUAL_CONST;
	case BTF_KIND_VOLATILE:
		return QUAL_VOLATILE;
	case BTF_KIND_RESTRICT:
		return QUAL_RESTRICT;
	default:
		return 0;
	}
}

static void put_qualifiers(struct text *text, unsigned int quals)
{
	if (quals & QUAL_CONST)
		put(text, "const ");
	if (quals & QUAL_VOLATILE)
		put(text, "volatile ");
	if (quals & QUAL_RESTRICT)
		put(text, "restrict ");
}

/* A type without its pointers, and these pointers with their qualifiers. */
struct peeled {
	u32 id;
	unsigned int quals;
	unsigned int nr;
	unsigned int pointers[POINTERS_MAX];	/* their qualifiers, the outermost first */
};

/* Returns false if there are too many pointers and qualifiers, for example in a circle. */
static bool peel(const struct typeinfo *info, u32 id, struct peeled *type)
{
	unsigned int steps;

	type->quals = 0;
	type->nr = 0;
	for (steps = 0; steps < CHAIN_MAX; steps++) {
		unsigned int kind = pghot_typeinfo_kind(info, id);

		if (kind == BTF_KIND_PTR) {
			if (type->nr == POINTERS_MAX)
				return false;
			type->pointers[type->nr++] = type->quals;
			type->quals = 0;
		} else if (qualifier(kind)) {
			type->quals |= qualifier(kind);
		} else if (kind != BTF_KIND_TYPE_TAG) {
			type->id = id;
			return true;
		}
		id = word(info, id, TYPE_SIZE);
	}
	return false;
}

static void put_pointers(struct text *text, const struct peeled *type)
{
	unsigned int i = type->nr;

	while (i--) {
		put(text, "*");
		put_qualifiers(text, type->pointers[i]);
	}
	/* A qualifier ends with a space. At the end of the type it is taken off. */
	if (type->nr && type->pointers[0] && !text->full)
		text->buf[--text->len] = '\0';
}

static void put_type(struct text *text, const struct typeinfo *info, u32 id, unsigned int depth);

static void put_arguments(struct text *text, const struct typeinfo *info, u32 proto,
			  unsigned int depth)
{
	u32 nr = nr_parts(info, proto), i;

	put(text, "(");
	for (i = 0; i < nr && !text->full; i++) {
		u32 name = word(info, proto, TYPE_WORDS + 2 * i);
		u32 type = word(info, proto, TYPE_WORDS + 2 * i + 1);

		put(text, i ? ", " : "");
		if (!type && !name && i == nr - 1)
			put(text, "...");
		else
			put_type(text, info, type, depth);
	}
	put(text, nr ? ")" : "void)");
}

/* Writes a type that has no name: an array or a prototype. @type has the pointers. */
static void put_composed(struct text *text, const struct typeinfo *info,
			 const struct peeled *type, unsigned int depth)
{
	bool is_array = pghot_typeinfo_kind(info, type->id) == BTF_KIND_ARRAY;

	put_type(text, info, word(info, type->id, is_array ? TYPE_WORDS : TYPE_SIZE), depth);
	put(text, " (");
	put_pointers(text, type);
	put(text, ")");
	if (is_array) {
		put(text, "[");
		put_number(text, word(info, type->id, TYPE_WORDS + 2));
		put(text, "]");
	} else {
		put_arguments(text, info, type->id, depth);
	}
}

static void put_type(struct text *text, const struct typeinfo *info, u32 id, unsigned int depth)
{
	const char *prefix = "", *name;
	struct peeled type;

	if (depth == DEPTH_MAX || !peel(info, id, &type)) {
		put(text, "?");
		return;
	}
	put_qualifiers(text, type.quals);
	name = pghot_typeinfo_name(info, type.id);
	switch (pghot_typeinfo_kind(info, type.id)) {
	case BTF_KIND_UNKN:
		name = type.id ? "?" : "void";
		break;
	case BTF_KIND_INT:
		name = int_name(name);
		break;
	case BTF_KIND_STRUCT:
		prefix = "struct ";
		break;
	case BTF_KIND_UNION:
		prefix = "union ";
		break;
	case BTF_KIND_FWD:
		prefix = has_flag(info, type.id) ? "union " : "struct ";
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		prefix = "enum ";
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FLOAT:
		break;
	case BTF_KIND_ARRAY:
	case BTF_KIND_FUNC_PROTO:
		put_composed(text, info, &type, depth + 1);
		return;
	default:
		name = "?";
		break;
	}
	put(text, prefix);
	put(text, *name ? name : "?");
	if (type.nr)
		put(text, " ");
	put_pointers(text, &type);
}

/* The prototype of a function, or of a typedef of a pointer to one; 0 if it is neither. */
static u32 prototype_of(const struct typeinfo *info, u32 id)
{
	unsigned int kind = pghot_typeinfo_kind(info, id);

	if (kind != BTF_KIND_FUNC && kind != BTF_KIND_TYPEDEF)
		return 0;
	id = word(info, id, TYPE_SIZE);
	if (kind == BTF_KIND_TYPEDEF && pghot_typeinfo_kind(info, id) == BTF_KIND_PTR)
		id = word(info, id, TYPE_SIZE);
	return pghot_typeinfo_kind(info, id) == BTF_KIND_FUNC_PROTO ? id : 0;
}

/**
 * pghot_typeinfo_prototype() - type of a function, as C text
 * @info: the BTF, with index
 * @id: a function, or a typedef of a pointer to one
 * @text: where to write it
 * @size: room there, at least 1
 *
 * Any context. The text is like ``struct folio * (struct folio *, unsigned long)``: result and
 * arguments without names, and integers as people write them.
 *
 * Return: false if @id is neither, or there is not room enough: @text has what fits then.
 */
bool pghot_typeinfo_prototype(const struct typeinfo *info, u32 id, char *text, size_t size)
{
	struct text out = { .buf = text, .size = size };
	u32 proto = prototype_of(info, id);

	put(&out, "");
	if (!proto)
		return false;
	put_type(&out, info, word(info, proto, TYPE_SIZE), 0);
	put(&out, " ");
	put_arguments(&out, info, proto, 0);
	return !out.full;
}

/* Size in bits, 0 if it has none that is known. */
static u64 type_bits(const struct typeinfo *info, u32 id)
{
	u64 times = 8;
	unsigned int steps;

	for (steps = 0; steps < CHAIN_MAX; steps++) {
		switch (pghot_typeinfo_kind(info, id)) {
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_FLOAT:
			/* A size that is too large for a number here is not known. */
			return times >> 32 ? 0 : times * word(info, id, TYPE_SIZE);
		case BTF_KIND_PTR:
			return times >> 32 ? 0 : times * sizeof(void *);
		case BTF_KIND_ARRAY:
			if (times >> 32)
				return 0;
			times *= word(info, id, TYPE_WORDS + 2);
			id = word(info, id, TYPE_WORDS);
			break;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = word(info, id, TYPE_SIZE);
			break;
		default:
			return 0;
		}
	}
	return 0;
}

static bool is_composite(const struct typeinfo *info, u32 id)
{
	unsigned int kind = pghot_typeinfo_kind(info, id);

	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

/* Looks also within members that have no name. @left is how many more members to look at. */
static bool find_member(const struct typeinfo *info, u32 id, const char *name,
			struct typeinfo_place *place, unsigned int depth, unsigned int *left)
{
	u32 nr = nr_parts(info, id), i;

	for (i = 0; i < nr && *left; i++) {
		u32 at = TYPE_WORDS + 3 * i;
		const char *here = string(info, word(info, id, at));
		u32 type = word(info, id, at + 1), offset = word(info, id, at + 2), bits = 0;

		--*left;
		if (has_flag(info, id)) {
			bits = BTF_MEMBER_BITFIELD_SIZE(offset);
			offset = BTF_MEMBER_BIT_OFFSET(offset);
		}
		if (!strcmp(here, name)) {
			place->bit = offset;
			place->bits = bits ?: type_bits(info, type);
			return true;
		}
		if (!*here && depth < DEPTH_MAX && is_composite(info, type) &&
		    find_member(info, type, name, place, depth + 1, left)) {
			place->bit += offset;
			return true;
		}
	}
	return false;
}

/**
 * pghot_typeinfo_member() - find a member of a structure or union
 * @info: the BTF, with index
 * @id: any number
 * @name: the member's name, not empty; it may be within members that have no name
 * @place: where to say where it is
 *
 * Any context.
 *
 * Return: false if @id is neither, or has no such member.
 */
bool pghot_typeinfo_member(const struct typeinfo *info, u32 id, const char *name,
			   struct typeinfo_place *place)
{
	unsigned int left = MEMBERS_MAX;

	return is_composite(info, id) && find_member(info, id, name, place, 0, &left);
}
