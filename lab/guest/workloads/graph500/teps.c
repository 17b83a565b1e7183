// SPDX-License-Identifier: GPL-2.0
#include "teps.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two values, in proportion. */
static double quantile(const double *sorted, size_t nr, double share)
{
	double place = (nr - 1) * share, below = floor(place);
	size_t i = below;

	return i + 1 < nr ? sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

struct teps teps_summary(double *teps, size_t nr)
{
	double sum = 0, squares = 0, off;
	struct teps t;
	size_t i;

	qsort(teps, nr, sizeof(*teps), compare);
	t.min = teps[0];
	t.first_quartile = quantile(teps, nr, 0.25);
	t.median = quantile(teps, nr, 0.5);
	t.third_quartile = quantile(teps, nr, 0.75);
	t.max = teps[nr - 1];
	for (i = 0; i < nr; i++)
		sum += 1 / teps[i];
	t.harmonic_mean = nr / sum;
	for (i = 0; i < nr; i++) {
		off = 1 / teps[i] - 1 / t.harmonic_mean;
		squares += off * off;
	}
	/* The standard error of a harmonic mean (Norris 1940), as the specification says. */
	t.harmonic_stddev = nr > 1 ? sqrt(squares) / (nr - 1) * t.harmonic_mean * t.harmonic_mean
				   : 0;
	return t;
}
