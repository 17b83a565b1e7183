/* SPDX-License-Identifier: GPL-2.0 */
/* Traversed edges per second: what the Graph500 specification has in its output of them. */
#ifndef LAB_TEPS_H
#define LAB_TEPS_H

#include <stddef.h>

struct teps {
	double min, first_quartile, median, third_quartile, max;
	double harmonic_mean, harmonic_stddev;
};

/* Sorts @teps, of which there is one at least, all above zero. */
struct teps teps_summary(double *teps, size_t nr);

#endif
