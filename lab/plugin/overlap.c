// SPDX-License-Identifier: GPL-2.0
#include "overlap.h"

#include <string.h>

void overlap_init(struct overlap *o, uint64_t window, unsigned int most)
{
	memset(o, 0, sizeof(*o));
	o->window = window;
	o->most = most;
}

static bool needs_value(const struct overlap *o, uint64_t vaddr)
{
	unsigned int i;

	for (i = 0; i < o->nr; i++)
		if (o->values[i] && vaddr - o->values[i] < OVERLAP_OBJECT)
			return true;
	return false;
}

int64_t overlap_miss(struct overlap *o, uint64_t vaddr, int64_t ps)
{
	int64_t more = ps;

	if (!o->nr || o->nr == o->most || o->insn - o->first_insn >= o->window ||
	    needs_value(o, vaddr)) {
		o->nr = 0;
		o->first_insn = o->insn;
		o->longest_ps = ps;
	} else {
		more = ps > o->longest_ps ? ps - o->longest_ps : 0;
		o->longest_ps += more;
	}
	o->values[o->nr++] = o->value;
	return more;
}
