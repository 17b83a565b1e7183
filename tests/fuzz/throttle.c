// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for promotion, at any times and of any sizes. What is granted in a second keeps to the
 * rate, the hot threshold stays between its bounds, and the limit of a cgroup holds on average.
 */
#include "fuzz.h"
#include "promote/limit.h"
#include "promote/throttle.c"

/* Pages of the largest folio. */
#define FOLIO_MAX	512

static struct throttle throttle;
static struct throttle_limits limits;
static unsigned int now_ms;

static void ask(struct input *in)
{
	const struct throttle_page page = {
		.now_ms = now_ms,
		.age_ms = input_sized(in, 100000),
		.nr = 1 + input_upto(in, FOLIO_MAX - 1),
		.roomy = input_u8(in) < 8,
		.counted = input_u8(in) & 1,
	};
	u64 candidates = throttle_candidates(&throttle);
	enum throttle_verdict verdict = pghot_throttle_ask(&throttle, &limits, &page);
	unsigned int threshold = throttle_threshold_ms(&throttle, &limits);

	assert(threshold >= limits.reference_ms * 2 / STEPS);
	assert(threshold <= limits.reference_ms * 2);
	if (page.roomy) {
		assert(verdict == THROTTLE_GO && threshold == limits.reference_ms);
		assert(throttle_candidates(&throttle) == candidates);
		return;
	}
	assert((verdict == THROTTLE_COLD) == (page.age_ms >= threshold));
	if (verdict == THROTTLE_COLD || page.counted)
		assert(throttle_candidates(&throttle) == candidates);
	else
		assert(throttle_candidates(&throttle) == candidates + page.nr);
	/* All that was charged in this second is less than the rate, or the last was refused. */
	if (verdict != THROTTLE_COLD)
		assert((verdict == THROTTLE_GO) == (throttle.spent < limits.pages_per_s));
	if (verdict == THROTTLE_GO && input_u8(in) < 32) {
		pghot_throttle_return(&throttle, page.nr);
		assert(throttle.spent < limits.pages_per_s);
	}
}

/* Pages taken since the beginning are at most the limit's, and one folio more. */
static void check_limit(struct input *in, u64 pages_per_s)
{
	const u64 begin = input_sized(in, 1ull << 62);
	struct limit limit = { .pages_per_s = pages_per_s, .start = begin };
	u64 now = begin, taken = 0;
	unsigned int i;

	for (i = 0; i < 32; i++) {
		now += input_sized(in, 1ull << 50);
		if (limit_ask(&limit, now)) {
			u64 allowed = ((now - begin) / NSEC_PER_SEC + 1) * pages_per_s;
			unsigned int nr = 1 + input_upto(in, FOLIO_MAX - 1);

			limit_take(&limit, nr);
			taken += nr;
			assert(taken < allowed + FOLIO_MAX);
		}
		assert(limit.start <= now && now - limit.start < NSEC_PER_SEC);
		assert(limit.taken < pages_per_s + FOLIO_MAX);
	}
}

void fuzz_one(struct input *in)
{
	check_limit(in, input_sized(in, 1048576ull * 256));
	now_ms = input_u32(in);
	limits = (struct throttle_limits){
		.reference_ms = 8 + input_sized(in, 100000),
		.pages_per_s = input_sized(in, 1048576ull * 256),
		.tune_ms = 1 + input_sized(in, 100000),
	};
	pghot_throttle_init(&throttle, now_ms);
	while (in->left) {
		now_ms += input_sized(in, 1 << 20);
		ask(in);
	}
}
