/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks for the lab's plugin: long NOPs that any x86-64 CPU ignores. The last
 * four bytes, the NOP's displacement, are an operation and "hgp". A mark that names a range
 * has its first and last byte in rdi and rsi. The plugin knows x86-64 only: elsewhere a mark is a
 * comment in the assembly.
 */
#ifndef LAB_MARKER_H
#define LAB_MARKER_H

#ifdef __x86_64__
#define MARKER_NOP(op)	".byte 0x0f, 0x1f, 0x84, 0x00, " #op ", 0x68, 0x67, 0x70"
#define MARKER_FIRST	"D"
#define MARKER_LAST	"S"
#else
#define MARKER_NOP(op)	"/* mark " #op " */"
#define MARKER_FIRST	"r"
#define MARKER_LAST	"r"
#endif

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

/*
 * The bytes from @first to @last are the hot set from now on, to the end of the region: its
 * accesses make a time series of their own. Kernel addresses are what system calls access.
 */
static inline void marker_hot(unsigned long first, unsigned long last)
{
	__asm__ volatile(MARKER_NOP(4) :: MARKER_FIRST(first), MARKER_LAST(last) : "memory");
}

/*
 * After a region, around loads of each page from @first to @last: how often was each page's
 * frame used in the region.
 */
static inline void marker_census(unsigned long first, unsigned long last)
{
	__asm__ volatile(MARKER_NOP(5) :: MARKER_FIRST(first), MARKER_LAST(last) : "memory");
}

static inline void marker_census_end(void)
{
	__asm__ volatile(MARKER_NOP(6) ::: "memory");
}

/*
 * Around one access, both on one CPU: in a region the time between them goes into a histogram
 * of loads or stores. The guest's own clock is the mean of all its CPUs', too coarse for that.
 */
static inline void marker_timed(void)
{
	__asm__ volatile(MARKER_NOP(7) ::: "memory");
}

static inline void marker_timed_load(void)
{
	__asm__ volatile(MARKER_NOP(8) ::: "memory");
}

static inline void marker_timed_store(void)
{
	__asm__ volatile(MARKER_NOP(9) ::: "memory");
}

/* All is measured: only time is counted from now on, as during the boot. */
static inline void marker_rest(void)
{
	__asm__ volatile(MARKER_NOP(10) ::: "memory");
}

/* The guest's clock stands still from here on, so that it can be saved, to the second mark. */
static inline void marker_freeze(void)
{
	__asm__ volatile(MARKER_NOP(11) ::: "memory");
}

static inline void marker_thaw(void)
{
	__asm__ volatile(MARKER_NOP(12) ::: "memory");
}

#endif
