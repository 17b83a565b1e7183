// SPDX-License-Identifier: GPL-2.0
/* teps: the specification's statistics of numbers that are easy to work out by hand. */
#include <math.h>

#include "teps.h"

#include "check.h"

static bool equal(double a, double b)
{
	return fabs(a - b) * 1000000000 < b;
}

int main(void)
{
	double five[] = { 6, 3, 2, 4, 12 }, four[] = { 4, 1, 2, 4 }, one[] = { 7 };
	struct teps t;

	/* 1/2 + 1/3 + 1/4 + 1/6 + 1/12 = 4/3 */
	t = teps_summary(five, 5);
	CHECK(t.min == 2 && t.first_quartile == 3 && t.median == 4);
	CHECK(t.third_quartile == 6 && t.max == 12);
	CHECK(equal(t.harmonic_mean, 15. / 4));
	/* Off 4/15 by 14, 4, -1, -6 and -11 sixtieths: the root of 370, over 60. */
	CHECK(equal(t.harmonic_stddev, sqrt(370) / 60 / 4 * 225 / 16));

	t = teps_summary(four, 4);
	CHECK(equal(t.first_quartile, 1.75) && equal(t.median, 3) && equal(t.third_quartile, 4));
	/* 1 + 1/2 + 1/4 + 1/4 = 2: off 1/2 by 1/2, 0, -1/4 and -1/4 */
	CHECK(equal(t.harmonic_mean, 2));
	CHECK(equal(t.harmonic_stddev, sqrt(3. / 8) / 3 * 4));

	t = teps_summary(one, 1);
	CHECK(t.min == 7 && t.median == 7 && t.max == 7 && equal(t.harmonic_mean, 7));
	CHECK(t.harmonic_stddev == 0);
	return check_report();
}
