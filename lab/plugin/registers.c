// SPDX-License-Identifier: GPL-2.0
#include "registers.h"

#include <string.h>

#include "qemu.h"

static struct qemu_plugin_register *rdi, *rsi;

const char *registers_init(void)
{
	struct glib_array *list = qemu_plugin_get_registers();
	struct qemu_plugin_reg_descriptor *reg = list->data;
	unsigned int i;

	for (i = 0; i < list->len; i++) {
		if (!strcmp(reg[i].name, "rdi"))
			rdi = reg[i].handle;
		if (!strcmp(reg[i].name, "rsi"))
			rsi = reg[i].handle;
	}
	g_array_free(list, 1);
	return rdi && rsi ? NULL : "this QEMU does not name the registers rdi and rsi";
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
	return (struct registers){ read_one(rdi), read_one(rsi) };
}
