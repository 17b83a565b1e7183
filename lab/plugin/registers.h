/* SPDX-License-Identifier: GPL-2.0 */
/* What a guest's mark says beside its operation: two of the vCPU's registers. */
#ifndef TIERMEM_REGISTERS_H
#define TIERMEM_REGISTERS_H

#include <stdint.h>

struct registers {
	uint64_t rdi;
	uint64_t rsi;
};

/* Find the registers, when a vCPU starts. NULL, or what is wrong. */
const char *registers_init(void);

/* Read them, in a callback that was registered with QEMU_PLUGIN_CB_R_REGS. */
struct registers registers_read(void);

#endif
