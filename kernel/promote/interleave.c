// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Choosing the node that a page should go to
 *
 * This is the rule that interleave.h explains.
 */
#include <linux/minmax.h>
#include <linux/numa.h>
#include <linux/string.h>

#include "promote/interleave.h"

static bool is_known(const struct interleave *s, int nid)
{
	return (unsigned int)nid < s->nr;
}

static bool is_active(const struct interleave *s, int nid)
{
	return s->node[nid].used * 3 > s->busiest;
}

/*
 * Is the memory for each use on node @a more than @num / @den times that on node @b? Both nodes
 * were used. It is computed without a division.
 */
static bool is_fuller(const struct interleave_node *a, const struct interleave_node *b,
		      unsigned int num, unsigned int den)
{
	return (u64)a->placed * b->used * den > (u64)b->placed * a->used * num;
}

static int least_filled(const struct interleave *s)
{
	int best = NUMA_NO_NODE, nid;

	for (nid = 0; is_known(s, nid); nid++) {
		if (!is_active(s, nid))
			continue;
		if (best == NUMA_NO_NODE || is_fuller(&s->node[best], &s->node[nid], 1, 1))
			best = nid;
	}
	return best;
}

static void fade_used(struct interleave *s)
{
	unsigned int i;

	s->used = 0;
	for (i = 0; i < s->nr; i++) {
		s->node[i].used /= 2;
		s->used += s->node[i].used;
	}
	s->busiest /= 2;
}

static void fade_placed(struct interleave *s)
{
	unsigned int i;

	s->placed = 0;
	for (i = 0; i < s->nr; i++) {
		s->node[i].placed /= 2;
		s->placed += s->node[i].placed;
	}
}

/**
 * pghot_interleave_init() - start with nothing known
 * @s: interleave_size() bytes for @nr
 * @nr: number of node ids
 */
void pghot_interleave_init(struct interleave *s, unsigned int nr)
{
	memset(s, 0, interleave_size(nr));
	s->nr = nr;
}

/**
 * pghot_interleave_note() - a hot page was used
 * @s: the nodes
 * @nid: node that it was used from; NUMA_NO_NODE and unknown ones are ignored
 *
 * Any context.
 */
void pghot_interleave_note(struct interleave *s, int nid)
{
	if (!is_known(s, nid))
		return;

	s->node[nid].used++;
	s->busiest = max(s->busiest, s->node[nid].used);
	if (++s->used >= INTERLEAVE_USED_MAX)
		fade_used(s);
}

/**
 * pghot_interleave_placed() - memory was promoted
 * @s: the nodes
 * @nid: node that it is on now; NUMA_NO_NODE and unknown ones are ignored
 * @nr: how much, base pages
 *
 * Private and shared memory is counted, wherever it was meant to go. Any context.
 */
void pghot_interleave_placed(struct interleave *s, int nid, unsigned int nr)
{
	if (!is_known(s, nid))
		return;

	nr = min(nr, INTERLEAVE_PLACED_MAX);
	s->node[nid].placed += nr;
	s->placed += nr;
	if (s->placed >= INTERLEAVE_PLACED_MAX)
		fade_placed(s);
}

/**
 * pghot_interleave_pick() - the node that a page should go to
 * @s: the nodes
 * @accessor: node that it was used from last, or NUMA_NO_NODE
 * @shared: it is used from more nodes than that
 *
 * The accessor gets a private page. It also gets a shared page if it is an active node and is not
 * too full. Otherwise the least filled active node gets it. How full a node is, is the memory that
 * was placed there divided by how often it was used. A node is too full if that is larger than for
 * the least filled node by more than a third. Any context.
 *
 * Return: node id; @accessor while no use was noted, even if it is NUMA_NO_NODE.
 */
int pghot_interleave_pick(const struct interleave *s, int accessor, bool shared)
{
	int best;

	if (!shared && accessor != NUMA_NO_NODE)
		return accessor;

	best = least_filled(s);
	if (best == NUMA_NO_NODE)
		return accessor;
	if (is_known(s, accessor) && is_active(s, accessor) &&
	    !is_fuller(&s->node[accessor], &s->node[best], 4, 3))
		return accessor;
	return best;
}
