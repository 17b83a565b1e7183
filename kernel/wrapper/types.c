// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Comparing expected types with those of the kernel
 *
 * The types that pghot expects of functions, tracepoints and members of structures are compared
 * with the BTF of the running kernel. The log names each difference.
 */
#include <linux/btf.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "testing/inject.h"
#include "wrapper/typeinfo.h"
#include "wrapper/types.h"

/* Longer than any type that pghot expects. */
#define TEXT_MAX	256

static void tell(const struct symbol *symbol, const char *type, const char *expected)
{
	pr_err("%s%s%s is %s in this kernel, and %s for pghot%s\n", symbol->name,
	       symbol->member ? "." : "", symbol->member ?: "", type, expected,
	       symbol->optional ? ", which can do without" : "");
}

static bool same_type(const struct typeinfo *info, u32 id, const struct symbol *symbol)
{
	char text[TEXT_MAX];

	if (pghot_typeinfo_prototype(info, id, text, sizeof(text)) && !strcmp(text, symbol->type))
		return true;
	tell(symbol, *text ? text : "something else", symbol->type);
	return false;
}

static bool same_place(const struct typeinfo *info, u32 id, const struct symbol *symbol)
{
	const struct typeinfo_place expected = { symbol->offset * 8, symbol->size * 8 };
	struct typeinfo_place place = { };
	char text[2][TEXT_MAX];

	if (pghot_typeinfo_member(info, id, symbol->member, &place) && place.bit == expected.bit &&
	    place.bits == expected.bits)
		return true;
	if (place.bits)
		snprintf(text[0], TEXT_MAX, "bits %llu to %llu", place.bit,
			 place.bit + place.bits - 1);
	else
		strscpy(text[0], "missing", TEXT_MAX);
	snprintf(text[1], TEXT_MAX, "bits %llu to %llu", expected.bit,
		 expected.bit + expected.bits - 1);
	tell(symbol, text[0], text[1]);
	return false;
}

/*
 * Returns how many of the symbols are described. If a symbol is described more than once, each of
 * the descriptions has to be as expected.
 */
static unsigned int compare(const struct typeinfo *info, struct symbol *symbols, unsigned int nr,
			    unsigned long *described)
{
	unsigned int kind, i;
	const char *name;
	u32 id;

	for (id = 1; id <= info->nr; id++) {
		/* There are more than 100,000 of them. */
		cond_resched();
		kind = pghot_typeinfo_kind(info, id);
		if (kind != BTF_KIND_FUNC && kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_STRUCT)
			continue;
		name = pghot_typeinfo_name(info, id);
		for (i = 0; i < nr; i++) {
			struct symbol *symbol = &symbols[i];

			if (kind != symbol->kind || strcmp(name, symbol->described))
				continue;
			__set_bit(i, described);
			if (!(symbol->member ? same_place(info, id, symbol) :
					       same_type(info, id, symbol)))
				symbol->differs = true;
		}
	}
	return bitmap_weight(described, nr);
}

/**
 * pghot_types_check() - are the symbols of the types that pghot believes?
 * @symbols: the symbols; those that are not say so afterwards, and so does the log
 * @nr: number of symbols
 * @btf: description of the running kernel's types
 * @size: its length, bytes
 *
 * Process context, sleeps. What the description does not know counts as right: compilers
 * change some functions so that they have no type of C.
 *
 * Return: number of symbols that were compared; -EINVAL if this is no such description, or
 * -ENOMEM.
 */
int pghot_types_check(struct symbol *symbols, unsigned int nr, const void *btf, size_t size)
{
	unsigned long *described = NULL;
	u32 *offsets = NULL;
	struct typeinfo info;
	int ret = -ENOMEM;

	if (!pghot_typeinfo_open(&info, btf, size))
		return -EINVAL;
	described = inject_alloc(NULL, bitmap_zalloc(nr, GFP_KERNEL));
	offsets = inject_alloc(NULL, kvmalloc_array(info.nr, sizeof(*offsets), GFP_KERNEL));
	if (described && offsets) {
		pghot_typeinfo_index(&info, offsets);
		ret = compare(&info, symbols, nr, described);
	}
	kvfree(offsets);
	bitmap_free(described);
	return ret;
}
