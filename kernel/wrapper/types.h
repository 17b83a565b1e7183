/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The symbols whose types are compared
 *
 * The types of what is resolved by name are compared with those of the running kernel.
 *
 * Only files of this directory include this header.
 */
#ifndef PGHOT_WRAPPER_TYPES_H
#define PGHOT_WRAPPER_TYPES_H

#include <linux/static_call_types.h>
#include <linux/types.h>

/**
 * struct symbol - something of the kernel's that no header promises
 * @name: name of the function, the tracepoint or the structure
 * @described: its name in BTF
 * @kind: its kind in BTF, such as BTF_KIND_STRUCT
 * @type: type of the function, or of a probe of the tracepoint, as C text
 * @member: of a structure, the member; @type is not used then
 * @offset: where pghot believes the member to be, bytes
 * @size: what it believes its size to be, bytes
 * @key: static call that leads to the function; NULL for what is not called
 * @tramp: that static call's trampoline
 * @optional: whether pghot can do without
 * @differs: the running kernel has another type, from pghot_types_check()
 */
struct symbol {
	const char *name;
	const char *described;
	unsigned int kind;
	const char *type;
	const char *member;
	size_t offset;
	size_t size;
	struct static_call_key *key;
	void *tramp;
	bool optional;
	bool differs;
};

int pghot_types_check(struct symbol *symbols, unsigned int nr, const void *btf, size_t size);

#endif /* PGHOT_WRAPPER_TYPES_H */
