// SPDX-License-Identifier: GPL-2.0
/*
 * Reading BTF: types are found and written as C text, and whatever the bytes are, nothing
 * outside of them is read and the work is bounded.
 */
#include <linux/array_size.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "wrapper/typeinfo.h"

#define FUZZ_RUNS	200000

/* A blob that is being made. */
static struct blob {
	u32 types[1024];
	char strings[2048];
	u32 nr_words, strings_len, nr;
} blob;

static u32 name(const char *text)
{
	u32 at = blob.strings_len;

	if (!*text)
		return 0;
	strcpy(blob.strings + at, text);
	blob.strings_len += strlen(text) + 1;
	return at;
}

static void add_word(u32 word)
{
	blob.types[blob.nr_words++] = word;
}

/* Adds a type without what follows its header; returns its id. */
static u32 add(const char *called, unsigned int kind, u32 nr, bool flag, u32 size_or_type)
{
	add_word(name(called));
	add_word((u32)flag << 31 | kind << 24 | nr);
	add_word(size_or_type);
	return ++blob.nr;
}

static u32 add_int(const char *called, u32 size)
{
	u32 id = add(called, BTF_KIND_INT, 0, false, size);

	add_word(size * 8);
	return id;
}

static u32 refer(const char *called, unsigned int kind, u32 to)
{
	return add(called, kind, 0, false, to);
}

/* A function type; arguments end with -1. */
static u32 add_proto(u32 result, const int *args)
{
	u32 nr = 0, id;

	while (args[nr] >= 0)
		nr++;
	id = add("", BTF_KIND_FUNC_PROTO, nr, false, result);
	for (; *args >= 0; args++) {
		add_word(*args ? name("argument") : 0);
		add_word(*args);
	}
	return id;
}

#define ARGS(...)	((const int []) { __VA_ARGS__, -1 })

static void member(const char *called, u32 type, u32 offset)
{
	add_word(name(called));
	add_word(type);
	add_word(offset);
}

/* Of exactly its size, at an odd address, so that sanitizers see what is beyond it. */
struct made {
	u8 *room, *data;
	size_t size;
};

static struct made make(void)
{
	struct btf_header head = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(head),
		.type_len = blob.nr_words * sizeof(u32), .str_off = blob.nr_words * sizeof(u32),
		.str_len = blob.strings_len,
	};
	struct made m = { .size = sizeof(head) + head.type_len + head.str_len };

	m.room = malloc(m.size + 1);
	m.data = m.room + 1;
	memcpy(m.data, &head, sizeof(head));
	memcpy(m.data + sizeof(head), blob.types, head.type_len);
	memcpy(m.data + sizeof(head) + head.type_len, blob.strings, head.str_len);
	return m;
}

/* Types by what they are for. */
static struct {
	u32 func, plain, callback, variadic, hook, circle, shape, control, wide, last;
} ids;

static struct made make_all(void)
{
	u32 int_id, ulong, bool_id, folio, folio_ptr, list, new_folio, mode, chr, text, proto, arr;
	u32 inner, union_id, big, callback, lock, lock_ptr, gfp;

	memset(&blob, 0, sizeof(blob));
	blob.strings_len = 1;
	int_id = add_int("int", 4);
	ulong = add_int("long unsigned int", 8);
	bool_id = refer("bool", BTF_KIND_TYPEDEF, add_int("_Bool", 1));
	folio = add("folio", BTF_KIND_STRUCT, 0, false, 64);
	folio_ptr = refer("", BTF_KIND_PTR, folio);
	list = refer("", BTF_KIND_PTR, add("list_head", BTF_KIND_FWD, 0, false, 0));
	new_folio = refer("new_folio_t", BTF_KIND_TYPEDEF, add_proto(folio_ptr, ARGS(folio_ptr)));
	mode = add("migrate_mode", BTF_KIND_ENUM, 1, false, 4);
	add_word(name("MIGRATE_ASYNC"));
	add_word(0);
	proto = add_proto(int_id, ARGS(list, refer("", BTF_KIND_PTR, new_folio), ulong, mode,
				       bool_id));
	ids.func = refer("migrate_pages", BTF_KIND_FUNC, proto);

	ids.plain = refer("plain", BTF_KIND_FUNC, add_proto(0, ARGS(-1)));

	chr = add_int("char", 1);
	text = refer("", BTF_KIND_PTR, refer("", BTF_KIND_CONST, chr));
	callback = refer("", BTF_KIND_PTR, refer("", BTF_KIND_PTR, add_proto(0, ARGS(int_id))));
	lock = refer("spinlock_t", BTF_KIND_TYPEDEF, add("spin", BTF_KIND_UNION, 0, false, 4));
	lock_ptr = refer("", BTF_KIND_PTR, refer("", BTF_KIND_TYPE_TAG,
						 refer("", BTF_KIND_PTR, lock)));
	arr = add("", BTF_KIND_ARRAY, 0, false, 0);
	add_word(int_id);
	add_word(int_id);
	add_word(12);
	ids.callback = refer("calls", BTF_KIND_FUNC,
			     add_proto(text, ARGS(callback, lock_ptr,
						  refer("", BTF_KIND_PTR, arr),
						  refer("", BTF_KIND_CONST,
							refer("", BTF_KIND_PTR, text)),
						  refer("", BTF_KIND_VOLATILE, int_id))));
	ids.variadic = refer("printk", BTF_KIND_FUNC, add_proto(int_id, ARGS(text, 0)));
	ids.hook = refer("btf_trace_it", BTF_KIND_TYPEDEF,
			 refer("", BTF_KIND_PTR,
			       add_proto(0, ARGS(refer("", BTF_KIND_PTR, 0), folio_ptr))));

	/* A typedef of a const of itself. */
	ids.circle = refer("circle", BTF_KIND_FUNC, blob.nr + 3);
	refer("", BTF_KIND_CONST, blob.nr + 1);
	add_proto(blob.nr, ARGS(folio_ptr));

	inner = add("", BTF_KIND_STRUCT, 2, false, 16);
	member("deep", int_id, 32);
	member("array", arr, 64);
	union_id = add("", BTF_KIND_UNION, 2, false, 16);
	member("", inner, 0);
	member("other", ulong, 0);
	ids.shape = add("shape", BTF_KIND_STRUCT, 3, true, 32);
	member("bits", int_id, 3 << 24 | 5);
	member("", union_id, 64);
	member("tail", folio_ptr, 192);

	gfp = refer("gfp_t", BTF_KIND_TYPEDEF, add_int("unsigned int", 4));
	ids.control = add("control", BTF_KIND_STRUCT, 3, false, 24);
	member("nid", int_id, 0);
	member("nmask", text, 64);
	member("gfp_mask", gfp, 128);

	/* Larger than any number. */
	big = arr;
	for (int i = 0; i < 4; i++) {
		u32 next = add("", BTF_KIND_ARRAY, 0, false, 0);

		add_word(big);
		add_word(int_id);
		add_word(~0u);
		big = next;
	}
	ids.wide = add("wide", BTF_KIND_STRUCT, 1, false, 4);
	member("big", big, 0);
	/* Of the other kinds, one each. */
	add("pcpu", BTF_KIND_VAR, 0, false, int_id);
	add_word(0);
	add(".data", BTF_KIND_DATASEC, 1, false, 4);
	add_word(blob.nr - 1);
	add_word(0);
	add_word(4);
	add("float", BTF_KIND_FLOAT, 0, false, 4);
	refer("tag", BTF_KIND_DECL_TAG, ids.func);
	add_word(-1);
	refer("", BTF_KIND_RESTRICT, text);
	ids.last = add("large", BTF_KIND_ENUM64, 1, false, 8);
	add_word(name("LARGE"));
	add_word(0);
	add_word(1);
	return make();
}

static u32 *index_of(struct typeinfo *info)
{
	u32 *offsets = malloc(info->nr * sizeof(*offsets) ?: 1);

	pghot_typeinfo_index(info, offsets);
	return offsets;
}

static bool is(const struct typeinfo *info, u32 id, const char *expected)
{
	char text[256];

	if (pghot_typeinfo_prototype(info, id, text, sizeof(text)) && !strcmp(text, expected))
		return true;
	fprintf(stderr, "%s\n", text);
	return false;
}

static void prototypes(const struct typeinfo *info)
{
	static const char all[] = "int (struct list_head *, new_folio_t *, unsigned long, "
				  "enum migrate_mode, bool)";
	char text[sizeof(all)];
	size_t size;

	CHECK(is(info, ids.func, all));
	CHECK(is(info, ids.plain, "void (void)"));
	CHECK(is(info, ids.callback, "const char * (void (**)(int), spinlock_t **, int (*)[12], "
				     "const char **const, volatile int)"));
	CHECK(is(info, ids.variadic, "int (const char *, ...)"));
	CHECK(is(info, ids.hook, "void (void *, struct folio *)"));
	/* What has no end is cut, as is what has no room. */
	CHECK(is(info, ids.circle, "? (struct folio *)"));
	for (size = 1; size < sizeof(all); size++) {
		CHECK(!pghot_typeinfo_prototype(info, ids.func, text, size));
		CHECK(strlen(text) == size - 1 && !strncmp(text, all, size - 1));
	}
	CHECK(pghot_typeinfo_prototype(info, ids.func, text, sizeof(text)));

	CHECK(!pghot_typeinfo_prototype(info, 0, text, sizeof(text)));
	CHECK(!pghot_typeinfo_prototype(info, ids.control, text, sizeof(text)) && !*text);
	CHECK(!pghot_typeinfo_prototype(info, info->nr + 1, text, sizeof(text)));
	CHECK(!pghot_typeinfo_prototype(info, ~0u, text, sizeof(text)));
}

static void names(const struct typeinfo *info)
{
	CHECK(info->nr == blob.nr && ids.last == info->nr);
	CHECK(!strcmp(pghot_typeinfo_name(info, ids.func), "migrate_pages"));
	CHECK(!strcmp(pghot_typeinfo_name(info, ids.last), "large"));
	CHECK(!*pghot_typeinfo_name(info, 0) && !*pghot_typeinfo_name(info, info->nr + 1));
	CHECK(pghot_typeinfo_kind(info, ids.func) == BTF_KIND_FUNC);
	CHECK(pghot_typeinfo_kind(info, ids.last) == BTF_KIND_ENUM64);
	CHECK(pghot_typeinfo_kind(info, 0) == BTF_KIND_UNKN);
	CHECK(pghot_typeinfo_kind(info, info->nr + 1) == BTF_KIND_UNKN);
}

static bool at(const struct typeinfo *info, u32 id, const char *called, u64 bit, u64 bits)
{
	struct typeinfo_place place;

	return pghot_typeinfo_member(info, id, called, &place) && place.bit == bit &&
	       place.bits == bits;
}

static void members(const struct typeinfo *info)
{
	struct typeinfo_place place;

	CHECK(at(info, ids.control, "nid", 0, 32));
	CHECK(at(info, ids.control, "nmask", 64, 64));
	CHECK(at(info, ids.control, "gfp_mask", 128, 32));
	CHECK(at(info, ids.shape, "bits", 5, 3));
	CHECK(at(info, ids.shape, "deep", 64 + 32, 32));
	CHECK(at(info, ids.shape, "array", 64 + 64, 12 * 32));
	CHECK(at(info, ids.shape, "other", 64, 64));
	CHECK(at(info, ids.shape, "tail", 192, 64));
	CHECK(at(info, ids.wide, "big", 0, 0));
	CHECK(!pghot_typeinfo_member(info, ids.shape, "none", &place));
	CHECK(!pghot_typeinfo_member(info, ids.func, "nid", &place));
	CHECK(!pghot_typeinfo_member(info, 0, "nid", &place));
	CHECK(!pghot_typeinfo_member(info, ~0u, "nid", &place));
}

static void headers(const struct made *m)
{
	struct typeinfo info;
	u8 *copy = malloc(m->size);
	static const struct {
		size_t at;
		u32 value;
	} wrong[] = {
		{ offsetof(struct btf_header, magic), 0x01009feb },
		{ offsetof(struct btf_header, magic), 0x0002eb9f },
		{ offsetof(struct btf_header, hdr_len), 23 },
		{ offsetof(struct btf_header, hdr_len), ~0u },
		{ offsetof(struct btf_header, type_off), ~0u },
		{ offsetof(struct btf_header, type_off), 4 },
		{ offsetof(struct btf_header, type_len), ~0u },
		{ offsetof(struct btf_header, type_len), 10 },
		{ offsetof(struct btf_header, str_off), ~0u },
		{ offsetof(struct btf_header, str_len), 0 },
		{ offsetof(struct btf_header, str_len), ~0u },
		/* The last string has no end. */
		{ offsetof(struct btf_header, str_len), 3 },
		/* No such kind. */
		{ sizeof(struct btf_header) + 4, 20 << 24 },
		{ sizeof(struct btf_header) + 4, 0 },
		/* More members than there are. */
		{ sizeof(struct btf_header) + 4, BTF_KIND_STRUCT << 24 | 0xffff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		memcpy(copy, m->data, m->size);
		memcpy(copy + wrong[i].at, &wrong[i].value, sizeof(u32));
		CHECK(!pghot_typeinfo_open(&info, copy, m->size));
	}
	free(copy);
}

/* Uses all that there is of it; returns whether there is something. */
static bool use(const void *data, size_t size, struct random *r)
{
	struct typeinfo_place place;
	struct typeinfo info;
	char text[128];
	u32 *offsets;

	if (!pghot_typeinfo_open(&info, data, size))
		return false;
	CHECK(info.nr <= size / (3 * sizeof(u32)));
	offsets = index_of(&info);
	for (u32 id = 0; id <= info.nr + 1; id++) {
		CHECK(pghot_typeinfo_kind(&info, id) <= BTF_KIND_MAX);
		CHECK(strlen(pghot_typeinfo_name(&info, id)) < size);
		pghot_typeinfo_prototype(&info, id, text, 1 + random_below(r, sizeof(text)));
		CHECK(strlen(text) < sizeof(text));
		pghot_typeinfo_member(&info, id, "none", &place);
	}
	free(offsets);
	return true;
}

static void truncated(const struct made *m)
{
	for (size_t size = 0; size < m->size; size++) {
		u8 *copy = malloc(size ?: 1);
		struct typeinfo info;

		memcpy(copy, m->data, size);
		CHECK(!pghot_typeinfo_open(&info, copy, size));
		free(copy);
	}
}

/* Bytes, words, or the sections' ends are changed: most of it stays as it was. */
static void fuzz(const struct made *m, struct random *r)
{
	u8 *copy = malloc(m->size);
	unsigned int opened = 0;

	for (unsigned int run = 0; run < FUZZ_RUNS; run++) {
		unsigned int changes = 1 + random_below(r, 8);

		memcpy(copy, m->data, m->size);
		while (changes--) {
			u32 words = (m->size - sizeof(u32)) / sizeof(u32), value;

			switch (random_below(r, 3)) {
			case 0:
				copy[random_below(r, m->size)] = random_u64(r);
				continue;
			case 1:	/* small, so that it may be an id, a number or a length */
				value = random_below(r, blob.nr + 2);
				break;
			default:
				value = random_u64(r);
			}
			memcpy(copy + random_below(r, words) * sizeof(u32), &value, sizeof(value));
		}
		opened += use(copy, m->size, r);
	}
	/* Enough of them come so far that there is something to use. */
	CHECK(opened > FUZZ_RUNS / 10);
	free(copy);
}

/* Structures with as many members without a name as can be, each of them of such a type. */
static void work_is_bounded(void)
{
	enum { NR = 300 };
	struct typeinfo_place place;
	struct btf_header head = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(head),
		.type_len = (3 + 3 * NR) * sizeof(u32), .str_off = (3 + 3 * NR) * sizeof(u32),
		.str_len = 1,
	};
	size_t size = sizeof(head) + head.type_len + 1;
	u8 *data = calloc(1, size);
	struct typeinfo info;
	u32 *offsets, word = BTF_KIND_STRUCT << 24 | NR;

	memcpy(data, &head, sizeof(head));
	memcpy(data + sizeof(head) + 4, &word, 4);
	word = 1;
	for (int i = 0; i < NR; i++)
		memcpy(data + sizeof(head) + 12 + 12 * i + 4, &word, 4);
	CHECK(pghot_typeinfo_open(&info, data, size));
	offsets = index_of(&info);
	CHECK(!pghot_typeinfo_member(&info, 1, "none", &place));
	free(offsets);
	free(data);
}

int main(void)
{
	struct random random = { .state = 42 };
	struct made m = make_all();
	struct typeinfo info;
	u32 *offsets;

	if (!CHECK(pghot_typeinfo_open(&info, m.data, m.size)))
		return check_report();
	offsets = index_of(&info);
	names(&info);
	prototypes(&info);
	members(&info);
	headers(&m);
	truncated(&m);
	fuzz(&m, &random);
	work_is_bounded();
	free(offsets);
	free(m.room);
	return check_report();
}
