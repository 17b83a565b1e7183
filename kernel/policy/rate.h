/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: How often pages are used
 *
 * A look finds whether a page was used within a window of time. Of N pages of one kind, of which
 * M were not used within a window w, each is used about ln(N / M) / w times a second, if uses
 * come independently of one another (Poisson). So a short window tells pages that are used often
 * from others, and a long one those that are used at all.
 *
 * Uses do not come independently where processes wait for a CPU: then none of a process's pages is
 * used, and when it runs, many are. Of the pages of all processes together, those that were not
 * used would mostly be those whose process did not run, and the rate would be far too low. So the
 * uses are told for each group of pages that were looked at together, and are added up.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_POLICY_RATE_H
#define PGHOT_POLICY_RATE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Pages that have to have been looked at before anything is said of them. */
#define RATE_PAGES_MIN	16u

/**
 * struct rate_group - pages of one kind that were looked at together
 * @looked: pages that were looked at
 * @used: of these, pages that were used within the window
 * @window_ns: sum of the windows of all pages that were looked at, ns
 */
struct rate_group {
	u64 looked;
	u64 used;
	u64 window_ns;
};

/**
 * struct rate_sample - groups of pages of one kind, and how often these were used
 * @looked: pages that were looked at
 * @idle: of these, pages that were not used within the window
 * @uses: uses of them within the windows, 1024 times
 * @window_ns: sum of the windows of all pages that were looked at, ns
 */
struct rate_sample {
	u64 looked;
	u64 idle;
	u64 uses;
	u64 window_ns;
};

/**
 * rate_add() - add a page to a group
 * @group: the group
 * @used: the page was used
 * @window_ns: within this time, ns
 */
static inline void rate_add(struct rate_group *group, bool used, u64 window_ns)
{
	group->looked++;
	group->used += used;
	group->window_ns += window_ns;
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
 * rate_end_group() - add a group of pages to a sample
 * @sample: the sample
 * @group: the group, which begins anew; too small a one goes on with the next pages instead
 *
 * Half a page is taken to have been not used if all were, so that it is a lower bound then.
 */
static inline void rate_end_group(struct rate_sample *sample, struct rate_group *group)
{
	u64 idle = group->looked - group->used;

	if (group->looked < RATE_PAGES_MIN)
		return;
	sample->looked += group->looked;
	sample->idle += idle;
	sample->uses += group->looked * rate_ln(2 * group->looked + 1, 2 * idle + 1);
	sample->window_ns += group->window_ns;
	*group = (struct rate_group){ };
}

/**
 * rate_once() - pages that were used at least once in each window
 * @pages: so many
 * @window_ns: the window, ns
 *
 * Return: a sample of them, as if each was used once. So its rate is a lower bound, as is that of
 * other samples without idle pages.
 */
static inline struct rate_sample rate_once(u64 pages, u64 window_ns)
{
	return (struct rate_sample){
		.looked = pages,
		.uses = pages << 10,
		.window_ns = pages * window_ns,
	};
}

/**
 * rate_per_1000s() - how often a page of a sample is used
 * @sample: the sample
 *
 * Return: uses in 1000 s; 0 for a sample without pages.
 */
static inline u64 rate_per_1000s(const struct rate_sample *sample)
{
	if (!sample->looked || !sample->window_ns)
		return 0;
	/* Uses of a page, 2^20 times, in the mean window: 10^12 / 2^20 = 953674. */
	return div64_u64(div64_u64(sample->uses << 10, sample->looked) * 953674,
			 max(div64_u64(sample->window_ns, sample->looked), 1ull));
}

#endif /* PGHOT_POLICY_RATE_H */
