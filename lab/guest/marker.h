/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks for the lab's plugin: long NOPs that any x86-64 CPU ignores. The last
 * four bytes, the NOP's displacement, are an operation and "hgp".
 */
#ifndef LAB_MARKER_H
#define LAB_MARKER_H

#define MARKER_NOP(op)	".byte 0x0f, 0x1f, 0x84, 0x00, " #op ", 0x68, 0x67, 0x70"

/* The boot is over: the full memory model begins. */
static inline void marker_arm(void)
{
	__asm__ volatile(MARKER_NOP(1) ::: "memory");
}

/* A measured region begins: all counts from 0. */
static inline void marker_begin(void)
{
	__asm__ volatile(MARKER_NOP(2) ::: "memory");
}

/* The measured region ends and is written out. */
static inline void marker_end(void)
{
	__asm__ volatile(MARKER_NOP(3) ::: "memory");
}

#endif
