/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Series of kernels
 *
 * A series is what a version of the kernel begins with, such as 6.12. What is here is pure.
 */
#ifndef PGHOT_WRAPPER_SERIES_H
#define PGHOT_WRAPPER_SERIES_H

#include <linux/types.h>

/* Digits of a number that is still read. */
#define SERIES_DIGITS	4

/*
 * Reads one of the two numbers of a series, and says where it ends: NULL if there is none, or one
 * that no kernel has.
 */
static inline const char *series_number(const char *text, unsigned int *number)
{
	unsigned int digits;

	*number = 0;
	for (digits = 0; text[digits] >= '0' && text[digits] <= '9'; digits++) {
		if (digits == SERIES_DIGITS)
			return NULL;
		*number = 10 * *number + text[digits] - '0';
	}
	return digits ? text + digits : NULL;
}

/**
 * series_of() - the series of a kernel, as a number that is in order as series are
 * @release: what `uname -r` says, or a series
 *
 * Any context.
 *
 * Return: the number; 0 if this is no version of a kernel.
 */
static inline unsigned int series_of(const char *release)
{
	unsigned int major, minor;

	release = series_number(release, &major);
	if (!release || *release != '.' || !series_number(release + 1, &minor))
		return 0;
	return major << 16 | minor;
}

/**
 * series_within() - is a kernel of one of the series from one to another?
 * @release: what `uname -r` says
 * @oldest: the first of these series
 * @newest: the last of them
 *
 * Any context.
 */
static inline bool series_within(const char *release, const char *oldest, const char *newest)
{
	unsigned int series = series_of(release);

	return series && series >= series_of(oldest) && series <= series_of(newest);
}

#endif /* PGHOT_WRAPPER_SERIES_H */
