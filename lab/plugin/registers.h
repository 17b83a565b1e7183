/* SPDX-License-Identifier: GPL-2.0 */
/* A vCPU's registers: what a guest's mark says beside its operation, and its page tables. */
#ifndef TIERMEM_REGISTERS_H
#define TIERMEM_REGISTERS_H

#include <stdint.h>

struct registers {
	uint64_t rdi;
	uint64_t rsi;
};

struct page_tables {
	uint64_t root;		/* CR3; 0: not known */
	unsigned int levels;	/* 4 or 5 */
};

/* Find the registers, when a vCPU starts. NULL, or what is wrong. */
const char *registers_init(void);

/* Read them, in a callback that was registered with QEMU_PLUGIN_CB_R_REGS. */
struct registers registers_read(void);

/* The general register with the number @reg of x86-64's instructions, 0 to 15, likewise. */
uint64_t registers_general(unsigned int reg);

/* The page tables of the vCPU that calls, in any callback: QEMU keeps these always up to date. */
struct page_tables registers_page_tables(void);

#endif
