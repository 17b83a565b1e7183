// SPDX-License-Identifier: GPL-2.0
/*
 * Texts for tunables of each kind: a number, a mask, a node. What is taken is a value that the
 * tunable may have, by a parameter and by a file alike, and nothing else changes the value.
 */
#include <linux/nodemask.h>

#include "fuzz.h"

/* Of the states of nodes, the tunables look at one: nodes 0 and 2 have memory. */
#define N_MEMORY		0
#define node_state(nid, state)	node_isset(nid, node_states[state])

static nodemask_t node_states[] = { { { 5 } } };

#include "core/tunable.c"

static bool precise;

bool pghot_mode_is_precise(void)
{
	return precise;
}

static int refuse_odd(struct tunable *tunable, int value)
{
	if (value & 1)
		return -EOPNOTSUPP;
	tunable->value = value;
	return 0;
}

static const struct tunable kinds[] = {
	{ .name = "number", .min = 10, .max = { 5000, 70000 }, .initial = { 20, 30 } },
	{ .name = "any", .min = INT_MIN, .max = BOTH_MODES(INT_MAX) },
	{ .name = "mask", .max = { 0x2d, 0x7fffff00 }, .is_mask = true },
	{ .name = "node", .min = NUMA_NO_NODE, .max = BOTH_MODES(MAX_NUMNODES - 1),
	  .initial = BOTH_MODES(NUMA_NO_NODE), .is_node = true },
	{ .name = "even", .max = BOTH_MODES(100), .apply = refuse_odd },
};

static bool may_be(const struct tunable *tunable, int value)
{
	if (tunable->is_node && value != tunable->min && value != 0 && value != 2)
		return false;
	if (tunable->is_mask && value & ~tunable->max[precise])
		return false;
	return value >= tunable->min && value <= tunable->max[precise];
}

/* The same text as a parameter of the module. */
static void load(struct tunable tunable, const char *text, size_t len, int file_ret, int file_value)
{
	char *param = strndup(text, len);
	int ret;

	assert(param);
	tunable.text = param;
	ret = pghot_tunable_load(&tunable);
	/* A parameter ends at its first null byte, and only files ask what acts on the value. */
	if (!memchr(text, '\0', len) && file_ret != -EOPNOTSUPP) {
		assert(ret == file_ret);
		assert(ret || tunable.value == file_value);
	}
	free(param);
}

static void write_text(struct tunable *tunable, const char *text, size_t len)
{
	int before = tunable->value, ret = pghot_tunable_set(tunable, text, len);
	char shown[TUNABLE_TEXT];
	int now = tunable->value;

	assert(may_be(tunable, now));
	if (ret) {
		assert(now == before);
		assert(ret == -EINVAL || ret == -ERANGE || (ret == -EOPNOTSUPP && tunable->apply));
	}
	assert(ret || !memchr(text, '\0', len));
	load(*tunable, text, len, ret, now);
	assert(!pghot_tunable_set(tunable, shown, sprintf(shown, "%d\n", now)));
	assert(tunable->value == now);
}

void fuzz_one(struct input *in)
{
	struct tunable tunable = kinds[input_upto(in, ARRAY_SIZE(kinds) - 1)];

	precise = input_u8(in) & 1;
	assert(!pghot_tunable_load(&tunable));
	while (in->left) {
		size_t len;
		char *text = input_text(in, &len);

		write_text(&tunable, text, len);
		free(text);
	}
}
