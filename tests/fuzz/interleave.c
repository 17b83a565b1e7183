// SPDX-License-Identifier: GPL-2.0
/*
 * Uses and promotions on the nodes of a machine. Sums are those of all nodes, and the node that a
 * page should go to is one that is used, or the one that used the page.
 */
#include "fuzz.h"
#include "promote/interleave.c"

static struct interleave *nodes;

static void check_sums(void)
{
	u64 used = 0, placed = 0;
	u32 busiest = 0;
	unsigned int i;

	for (i = 0; i < nodes->nr; i++) {
		used += nodes->node[i].used;
		placed += nodes->node[i].placed;
		busiest = max(busiest, nodes->node[i].used);
	}
	assert(used == nodes->used && used < INTERLEAVE_USED_MAX);
	assert(placed == nodes->placed && placed < INTERLEAVE_PLACED_MAX);
	assert(busiest == nodes->busiest);
}

static void check_pick(int accessor, bool shared)
{
	int picked = pghot_interleave_pick(nodes, accessor, shared);

	if (!shared && accessor != NUMA_NO_NODE)
		assert(picked == accessor);
	if (picked == accessor)
		return;
	assert(picked >= 0 && (unsigned int)picked < nodes->nr);
	assert(nodes->node[picked].used);
}

void fuzz_one(struct input *in)
{
	unsigned int nr = 1 + input_upto(in, 7), times;

	nodes = malloc(interleave_size(nr));
	assert(nodes);
	pghot_interleave_init(nodes, nr);
	while (in->left) {
		int nid = (int)input_upto(in, nr + 1) - 1;
		u8 what = input_u8(in);

		if (what < 0x40) {
			for (times = input_upto(in, INTERLEAVE_USED_MAX); times; times--)
				pghot_interleave_note(nodes, nid);
		} else if (what < 0x80) {
			pghot_interleave_placed(nodes, nid, input_sized(in, ~0u));
		} else {
			check_pick(nid, what & 1);
		}
		check_sums();
	}
	free(nodes);
}
