/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which fast node a page should go to: pseudo-interleaving's criteria, for promotion.
 *
 *   1. Private memory goes to the node that uses it.
 *   2. No needless moves: promotion is the one move that a page makes, and balance is
 *      kept by where it goes. Within a band of a third, shared memory as well goes to
 *      the node that used it last.
 *   3. Shared memory is spread over the nodes that are active, in proportion to their
 *      use, so that the workload gets the bandwidth of all of them.
 *
 * The kernel's NUMA balancing has the same criteria and the same two bounds, as of
 * 6.12 (kernel/sched/fair.c): a node is active if it makes more than a third of the
 * accesses that the busiest node makes (numa_is_active_node()), and memory goes from
 * one active node to another if its share of the accesses for its share of the memory
 * is larger by more than a third (should_numa_migrate_memory()). The kernel applies
 * them to the tasks of a group, here they hold for all that is promoted from one slow
 * node.
 *
 * Accesses and memory are both counted for private and shared pages together: a node
 * that got private memory for its use needs the less of the shared.
 *
 * Counts are halved whenever their sum reaches a bound. So a node's share is one of
 * recent accesses, a thread that passes by does not make its node active, and the
 * counts never overflow. Halving all nodes leaves every comparison as it was, but for
 * what rounding takes.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_INTERLEAVE_H
#define PGHOT_INTERLEAVE_H

#include <linux/types.h>

/*
 * Sums at which the counts are halved: accesses, enough of them to tell the shares of
 * 8 nodes to a few per cent; and base pages, 1 GiB of 4 KiB, which is 512 huge ones.
 */
#define INTERLEAVE_USED_MAX	16384u
#define INTERLEAVE_PLACED_MAX	262144u

/**
 * struct interleave_node - what is known of one fast node
 * @used: hot pages that were used from it, recently
 * @placed: memory that was promoted to it, recently, base pages
 */
struct interleave_node {
	u32 used;
	u32 placed;
};

/**
 * struct interleave - the nodes that use the memory of one slow node
 * @nr: number of @node
 * @used: sum over all nodes
 * @placed: sum over all nodes
 * @busiest: the largest @used of any node
 * @node: by node id
 *
 * The caller allocates interleave_size() bytes and serialises the calls.
 */
struct interleave {
	unsigned int nr;
	u32 used;
	u32 placed;
	u32 busiest;
	struct interleave_node node[];
};

/**
 * interleave_size() - what to allocate
 * @nr: number of node ids
 *
 * Return: bytes.
 */
static inline size_t interleave_size(unsigned int nr)
{
	return sizeof(struct interleave) + nr * sizeof(struct interleave_node);
}

void pghot_interleave_init(struct interleave *s, unsigned int nr);
void pghot_interleave_note(struct interleave *s, int nid);
void pghot_interleave_placed(struct interleave *s, int nid, unsigned int nr);
int pghot_interleave_pick(const struct interleave *s, int accessor, bool shared);

#endif /* PGHOT_INTERLEAVE_H */
