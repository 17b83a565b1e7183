/* SPDX-License-Identifier: GPL-2.0 */
/* I/O ports of x86, from user space. */
#ifndef LAB_IOPORT_H
#define LAB_IOPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/io.h>

/* Be allowed to use them. Returns 0, or -1 and errno. */
static inline int ioport_open(void)
{
	return iopl(3);
}

static inline void ioport_write(uint16_t port, uint16_t value)
{
	outw(value, port);
}

/* The next bytes of what is behind a port. glibc's insb() does not say that it writes memory. */
static inline void ioport_read(uint16_t port, void *to, size_t bytes)
{
	__asm__ volatile("rep insb" : "+D"(to), "+c"(bytes) : "d"(port) : "memory");
}

#endif
