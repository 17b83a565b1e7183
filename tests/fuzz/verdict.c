// SPDX-License-Identifier: GPL-2.0
/*
 * Observations that the policy decides by: any looks, costs and times that a machine may have. All
 * that follows from them stays within its bounds, and what is computed with 64 bits is what exact
 * numbers give.
 */
#include <math.h>

#include "fuzz.h"
#include "policy/verdict.h"

typedef unsigned __int128 exact;

/* More than any machine has or needs: pages of 4 KiB, and ns. */
#define PAGES_MAX	(1ull << 34)
#define HOUR_NS		(3600ull * NSEC_PER_SEC)
#define PAGE_NS_MAX	NSEC_PER_SEC
#define HUGE_PAGES	512
/* How long windows are: as they are chosen, and longer where whoever looks was kept waiting; ns. */
#define WINDOW_MIN	100000
#define WINDOW_MAX	500000000

static struct policy policy;
static struct capacity capacity;
static unsigned int most;
static u64 now;

/* @looked pages in windows of one length. */
static struct rate_sample make_sample(struct input *in, u64 looked)
{
	struct rate_group group = { .looked = looked };
	struct rate_sample sample = { };
	double ln, told;
	u64 of, by;

	group.used = input_sized(in, looked);
	group.window_ns = looked * (WINDOW_MIN + input_sized(in, WINDOW_MAX - WINDOW_MIN));
	of = 2 * looked + 1;
	by = 2 * (looked - group.used) + 1;
	ln = 1024 * log((double)of / by);
	told = rate_ln(of, by);
	assert(told >= ln * 0.99 - 2 && told <= ln * 1.001 + 1);
	rate_end_group(&sample, &group);
	return sample;
}

/* Not even ln(3 * PAGES_MAX + 1) uses in the shortest window. */
static void check_rate(const struct rate_sample *sample)
{
	assert(rate_per_1000s(sample) <= 25 * 1000 * NSEC_PER_SEC / WINDOW_MIN);
}

/* What is asked of a kind, and that no number in it was too large for 64 bits. */
static void check_question(enum policy_kind kind, enum gain_room room)
{
	struct gain_question q = verdict_question(&policy, kind, capacity.demotes, now);
	exact cost = q.cost_ns, need, gain, loss;

	q.room = room;
	assert(q.cost_ns >= GAIN_COST_MIN && q.bar >= 1 && q.bar <= BOUNCE_BAR_MAX);
	assert(q.price >= 1 && q.price <= PRICE_MAX);
	assert(q.access_ns >= LATENCY_GAP_MIN && q.access_ns <= 2 * LATENCY_MAX);
	assert(q.horizon_ms >= GAIN_HORIZON_MIN && q.horizon_ms <= GAIN_HORIZON_MAX);
	if (room == GAIN_ROOM_PLENTY)
		cost = min(cost, (exact)GAIN_COST_FREE);
	else if (room == GAIN_ROOM_NONE)
		cost *= min((1 + q.price) * q.bar, GAIN_MOVES_MAX);
	need = cost * q.pages * 1000000 / ((exact)q.horizon_ms * q.access_ns) + 1;
	assert(gain_need(&q) == need);
	gain = room ? 0 : min(q.cold, q.hot / q.pages);
	gain = q.hot / q.pages - gain;
	gain = min(gain, (exact)GAIN_RATE_MAX) * q.horizon_ms * q.access_ns / 1000000;
	assert(gain_page_ns(&q) == gain);
	loss = (exact)q.cold * q.pages * q.price;
	switch (gain_decide(&q)) {
	case GAIN_FREE:
		assert(room && q.hot >= need / (room == GAIN_ROOM_PLENTY ? GAIN_PART_FREE :
								   GAIN_PART_SWAP));
		break;
	case GAIN_SWAP:
		assert(!room && q.demotes && q.hot >= GAIN_CONTRAST * loss);
		assert(q.hot - loss >= need / GAIN_PART_SWAP);
		break;
	case GAIN_NO_DEMOTION:
		assert(!room && !q.demotes);
		break;
	default:
		assert(q.hot < need || q.hot - loss < need || q.hot < GAIN_CONTRAST * loss);
	}
}

static void check(void)
{
	int kind;

	for (kind = 0; kind < POLICY_KINDS; kind++) {
		const struct kind_state *state = &policy.kind[kind];
		const struct window_limits *limits = &verdict_windows[kind];

		assert(state->window_us >= limits->min_us && state->window_us <= limits->max_us);
		assert(state->verdict < GAIN_VERDICTS && state->finding < GAIN_VERDICTS);
		assert(!state->eager || verdict_promotes(state->verdict));
		assert(state->hot_since <= state->hot_seen && state->hot_seen <= now);
		check_rate(&state->hot);
		check_rate(&state->cold);
		check_question(kind, GAIN_ROOM_NONE);
		check_question(kind, GAIN_ROOM_LITTLE);
		check_question(kind, GAIN_ROOM_PLENTY);
	}
	assert(policy.effort.percent >= EFFORT_MIN && policy.effort.percent <= 100);
	assert(policy.effort.vain <= EFFORT_VAIN);
	assert(policy.bounce.bar >= 1 && policy.bounce.bar <= BOUNCE_BAR_MAX);
	assert(policy.bounce.bounced <= policy.bounce.promoted);
	assert(policy.bounce.promoted < BOUNCE_LOOK);
}

static void look(struct input *in)
{
	struct policy_look look = {
		.kind = input_u8(in) & 1,
		.sweep_ended = input_u8(in) & 1,
		.cpu_ns = input_sized(in, HOUR_NS),
	};
	const struct kind_state *state = &policy.kind[look.kind];
	enum gain_verdict was = state->verdict;

	/* A sweep looks at no more than there is. */
	look.looked = input_sized(in, PAGES_MAX - state->sweep.looked);
	look.used = input_sized(in, look.looked);
	look.found = input_sized(in, look.looked);
	look.hot = make_sample(in, input_sized(in, look.looked));
	look.cold = make_sample(in, input_sized(in, look.looked));
	verdict_after_look(&policy, &look, &capacity, most, now);
	assert(policy.effort.percent <= most);
	if (state->verdict != was && state->verdict == GAIN_SWAP)
		assert(capacity.demotes && !state->room && state->finding == GAIN_SWAP);
	if (state->verdict != was && state->verdict == GAIN_FREE)
		assert(capacity.room[look.kind] >= ROOM_SHORT);
	if (look.sweep_ended)
		assert(!state->sweep.looked && !state->sweep.hot.looked);
}

static void move(struct input *in)
{
	enum policy_kind kind = input_u8(in) & 1;
	unsigned int nr = 1 + input_upto(in, 8191);

	gain_cost_add(&policy.kind[kind].cost, nr, input_sized(in, nr * PAGE_NS_MAX));
	policy.effort.moved += nr;
}

static void bounce(struct input *in)
{
	unsigned long pfn = 1 + input_u16(in);

	if (input_u8(in) & 1) {
		bounce_demoted(&policy.bounce, pfn, now);
		assert(bounce_holds(&policy.bounce, pfn, now));
	} else {
		unsigned int nr = 1 + input_upto(in, 2 * BOUNCE_LOOK);

		while (nr--)
			bounce_promoted(&policy.bounce, pfn, now);
	}
}

static void make_room(struct input *in)
{
	long made = 1 + input_sized(in, PAGES_MAX), taken = input_sized(in, 2 * PAGES_MAX);

	verdict_room_made(&policy, made, taken - (long)PAGES_MAX, now);
}

static void change_machine(struct input *in)
{
	int kind;

	for (kind = 0; kind < POLICY_KINDS; kind++)
		capacity.room[kind] = input_sized(in, PAGES_MAX);
	capacity.demotes = input_u8(in) & 1;
	capacity.share = input_upto(in, 1000);
	capacity.tables = input_sized(in, PAGES_MAX / HUGE_PAGES);
	most = 1 + input_upto(in, 99);
	verdict_wake(&policy, &capacity, most);
}

void fuzz_one(struct input *in)
{
	unsigned int reads;

	now = input_sized(in, ~0ull >> 1);
	policy = (struct policy){ };
	verdict_init(&policy, HUGE_PAGES, 50);
	change_machine(in);
	while (in->left) {
		now += input_sized(in, HOUR_NS);
		switch (input_upto(in, 6)) {
		case 0:
			change_machine(in);
			break;
		case 1:
			move(in);
			break;
		case 2:
			reads = input_sized(in, ~0u);
			latency_add(&policy.access[input_u8(in) & 1], reads,
				    input_sized(in, ~0ull));
			break;
		case 3:
			bounce(in);
			break;
		case 4:
			make_room(in);
			break;
		default:
			look(in);
		}
		check();
	}
	assert(effort_stride(policy.tables, 32) >= 1);
}
