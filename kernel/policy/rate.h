/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How often pages are used
 *
 * A look finds whether a page was used within a window of time. Of N pages of one kind, of which
 * M were not used within a window w, each is used about ln(N / M) / w times a second, if uses
 * come independently of one another (Poisson). So a short window tells pages that are used often
 * from others, and a long one those that are used at all.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_RATE_H
#define PGHOT_POLICY_RATE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Pages of a kind that have to have been looked at before anything is said of them. */
#define RATE_PAGES_MIN	16u

/**
 * struct rate_sample - pages of one kind, and how many of them were used in a window
 * @looked: pages that were looked at
 * @used: of these, pages that were used
 * @window_ns: sum of the windows of all pages that were looked at, ns
 */
struct rate_sample {
	u64 looked;
	u64 used;
	u64 window_ns;
};

/**
 * rate_add() - add a page to a sample
 * @sample: the sample
 * @used: the page was used
 * @window_ns: within this time, ns
 */
static inline void rate_add(struct rate_sample *sample, bool used, u64 window_ns)
{
	sample->looked++;
	sample->used += used;
	sample->window_ns += window_ns;
}

/**
 * rate_is_known() - were enough pages looked at?
 * @sample: the sample
 */
static inline bool rate_is_known(const struct rate_sample *sample)
{
	return sample->looked >= RATE_PAGES_MIN;
}

/*
 * 1024 times the natural logarithm of @of / @by, for @of >= @by >= 1; at most 1 % and 2 too low,
 * and hardly too high.
 */
static inline u64 rate_ln(u64 of, u64 by)
{
	unsigned int bits = 0, i;
	u64 x;

	while (of >= by * 2) {
		by *= 2;
		bits++;
	}
	/* The rest is from 1 to below 2, with 20 bits behind the point: ten digits of log2. */
	x = div64_u64(of << 20, by);
	for (i = 0; i < 10; i++) {
		x = (x * x) >> 20;
		bits <<= 1;
		if (x >= 2ull << 20) {
			x >>= 1;
			bits |= 1;
		}
	}
	/* ln 2 = 710 / 1024 */
	return (u64)bits * 710 >> 10;
}

/**
 * rate_per_1000s() - how often a page of a sample is used
 * @sample: the sample
 *
 * Return: uses in 1000 s; 0 for a sample without pages. Half a page is taken to have been not
 * used if all were, so that it is a lower bound then.
 */
static inline u64 rate_per_1000s(const struct rate_sample *sample)
{
	u64 looked = 2 * sample->looked + 1, idle = 2 * (sample->looked - sample->used) + 1;

	if (!sample->looked || !sample->window_ns)
		return 0;
	/* ln * 1000 s / (1024 * window), where the window is the mean one. */
	return div64_u64(rate_ln(looked, idle) * 976562500ull,
			 max(div64_u64(sample->window_ns, sample->looked), 1ull));
}

#endif /* PGHOT_POLICY_RATE_H */
