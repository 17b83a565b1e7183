/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SPRINTF_H
#define _LINUX_SPRINTF_H

#include <stdarg.h>
#include <stdio.h>

/* Returns what was written, not what would have been if there were room. */
static inline int vscnprintf(char *buf, size_t size, const char *format, va_list args)
{
	int len = vsnprintf(buf, size, format, args);

	return len < (int)size ? len : (int)size - !!size;
}

static inline int scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vscnprintf(buf, size, format, args);
	va_end(args);
	return len;
}

#endif /* _LINUX_SPRINTF_H */
