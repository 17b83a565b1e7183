// SPDX-License-Identifier: GPL-2.0
#include "registers.h"

#include <string.h>

#include "qemu.h"

#define CR4_LA57	(UINT64_C(1) << 12)

/* In the order of x86-64's numbers; control registers after these. */
static const char *const names[] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	"cr3", "cr4",
};

enum {
	RSI = 6,
	RDI = 7,
	CR3 = 16,
	CR4 = 17,
	REGISTERS = sizeof(names) / sizeof(*names),
};

static struct qemu_plugin_register *handles[REGISTERS];

const char *registers_init(void)
{
	struct glib_array *list = qemu_plugin_get_registers();
	struct qemu_plugin_reg_descriptor *reg = list->data;
	unsigned int i, n, found = 0;

	for (i = 0; i < list->len; i++) {
		for (n = 0; n < REGISTERS; n++) {
			if (strcmp(reg[i].name, names[n]))
				continue;
			found += !handles[n];
			handles[n] = reg[i].handle;
		}
	}
	g_array_free(list, 1);
	return found == REGISTERS ? NULL :
	       "this QEMU does not name the general registers, cr3 and cr4";
}

static uint64_t read_one(struct qemu_plugin_register *reg)
{
	struct glib_array *bytes = g_byte_array_new();
	uint64_t value = 0;

	if (qemu_plugin_read_register(reg, bytes) == sizeof(value))
		memcpy(&value, bytes->data, sizeof(value));
	g_byte_array_free(bytes, 1);
	return value;
}

struct registers registers_read(void)
{
	return (struct registers){ read_one(handles[RDI]), read_one(handles[RSI]) };
}

uint64_t registers_general(unsigned int reg)
{
	return read_one(handles[reg]);
}

struct page_tables registers_page_tables(void)
{
	return (struct page_tables){
		.root = read_one(handles[CR3]),
		.levels = read_one(handles[CR4]) & CR4_LA57 ? 5 : 4,
	};
}
