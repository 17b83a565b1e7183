/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KSTRTOX_H
#define _LINUX_KSTRTOX_H

#include <errno.h>
#include <stdlib.h>

/* As far as tests need it. */
static inline int kstrtoint(const char *text, int base, int *value)
{
	char *end;

	*value = strtol(text, &end, base);
	return *end || end == text ? -EINVAL : 0;
}

#endif /* _LINUX_KSTRTOX_H */
