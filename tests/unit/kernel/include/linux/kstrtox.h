/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers in texts, by the rules of the kernel: nothing before a number but one sign, and nothing
 * after it but one newline.
 */
#ifndef _LINUX_KSTRTOX_H
#define _LINUX_KSTRTOX_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <linux/types.h>

static inline int kstrto_digits(const char *text, unsigned int base, u64 *value)
{
	unsigned long number;
	char *end;

	/* The C library would take blanks and a sign. */
	if (!isxdigit((u8)*text))
		return -EINVAL;
	errno = 0;
	number = strtoul(text, &end, base);
	if (errno == ERANGE)
		return -ERANGE;
	if (end == text || end[*end == '\n'])
		return -EINVAL;
	*value = number;
	return 0;
}

static inline int kstrtou64(const char *text, unsigned int base, u64 *value)
{
	return kstrto_digits(text + (*text == '+'), base, value);
}

static inline int kstrtouint(const char *text, unsigned int base, unsigned int *value)
{
	u64 number;
	int ret = kstrtou64(text, base, &number);

	if (!ret && number > UINT_MAX)
		ret = -ERANGE;
	if (!ret)
		*value = number;
	return ret;
}

static inline int kstrtoint(const char *text, unsigned int base, int *value)
{
	bool negative = *text == '-';
	u64 number;
	int ret = negative ? kstrto_digits(text + 1, base, &number) :
			     kstrtou64(text, base, &number);

	if (!ret && number > (u64)INT_MAX + negative)
		ret = -ERANGE;
	if (!ret)
		*value = negative ? -(s64)number : (s64)number;
	return ret;
}

#endif /* _LINUX_KSTRTOX_H */
