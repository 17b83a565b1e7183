// SPDX-License-Identifier: GPL-2.0
/*
 * The policy (kernel/policy/verdict.h): a source tells what it has found, and new memory comes,
 * under its lock; others read without the lock what was decided, as in policy.c.
 */
#include <string.h>

#include <linux/array_size.h>
#include <linux/spinlock.h>

#include "access.h"
#include "explore.h"
#include "policy/verdict.h"

/* The most that looking may take, % of a CPU. */
#define MOST	20u

static struct {
	spinlock_t lock;	/* of all of it */
	struct policy policy;
} shared;

static const struct capacity capacity = {
	.room = { 2 * ROOM_ENOUGH, 0 },
	.share = 500,
	.tables = 100,
};

static void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	verdict_init(&shared.policy, 512, MOST);
}

/* A sweep of small pages has found nothing. */
static void source(void)
{
	const struct policy_look look = {
		.kind = POLICY_SMALL,
		.looked = 1000,
		.cpu_ns = NSEC_PER_MSEC,
		.sweep_ended = true,
	};

	spin_lock(&shared.lock);
	verdict_after_look(&shared.policy, &look, &capacity, MOST, NSEC_PER_SEC);
	spin_unlock(&shared.lock);
}

static void new_memory(void)
{
	spin_lock(&shared.lock);
	verdict_wake(&shared.policy, &capacity, MOST);
	spin_unlock(&shared.lock);
}

static void reader(void)
{
	const struct kind_state *state = &shared.policy.kind[POLICY_SMALL];
	unsigned int percent = READ_ONCE(shared.policy.effort.percent);
	unsigned int window_us = READ_ONCE(state->window_us);

	EXPECT(percent >= EFFORT_MIN && percent <= MOST);
	EXPECT(window_us >= verdict_windows[POLICY_SMALL].min_us &&
	       window_us <= verdict_windows[POLICY_SMALL].max_us);
	EXPECT(!verdict_promotes(READ_ONCE(state->verdict)));
	EXPECT(!verdict_promotes(READ_ONCE(state->finding)));
	EXPECT(!READ_ONCE(state->eager));
	if (effort_is_sample(&shared.policy.effort))
		EXPECT(effort_stride(READ_ONCE(shared.policy.tables), 10) <= 8);
}

static void end(void)
{
	EXPECT(shared.policy.tables == capacity.tables);
}

static const struct scenario scenarios[] = {
	{
		.name = "a sweep ends beside somebody who reads",
		.begin = begin,
		.threads = { { "source", source }, { "reader", reader } },
		.end = end,
	}, {
		.name = "new memory beside somebody who reads",
		.begin = begin,
		.threads = { { "new memory", new_memory }, { "reader", reader } },
		.end = end,
	},
};

int main(int argc, char **argv)
{
	bool deep = explore_deep(argc, argv);

	access_share("policy", &shared, sizeof(shared));
	explore_all(scenarios, ARRAY_SIZE(scenarios), "policy", deep);
	return explore_report();
}
