/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Which fast node a page should go to
 *
 * The criteria are those of pseudo-interleaving, applied to promotion.
 *
 *   1. Private memory goes to the node that uses it.
 *   2. A page is moved once, when it is promoted. pghot does not move it from one fast node
 *      to another later. So nodes are kept in balance by the choice of the target alone. As
 *      long as a node is filled by no more than a third above the least filled one, shared
 *      memory, too, goes to the node that used it last.
 *   3. Shared memory is spread over the active nodes in proportion to their use, so that the
 *      workload gets the bandwidth of all of them.
 *
 * The kernel's NUMA balancing has the same criteria and the same two bounds, as of 6.12
 * (kernel/sched/fair.c). A node is active if it makes more than a third of the accesses that the
 * busiest node makes (numa_is_active_node()). Memory goes from one active node to another if the
 * other's share of the accesses, compared with its share of the memory, is larger by more than a
 * third (should_numa_migrate_memory()). The kernel applies these rules to the tasks of a group.
 * Here they apply to all that is promoted from one slow node.
 *
 * Accesses and memory are counted for private and shared pages together. A node that got much
 * private memory for its use needs less of the shared memory.
 *
 * All counts are halved whenever their sum reaches a bound. So a node's share is one of recent
 * accesses, a thread that is on a node for a short time does not make it active, and the counts
 * never overflow. Halving the counts of all nodes changes no comparison, except by rounding.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_PROMOTE_INTERLEAVE_H
#define PGHOT_PROMOTE_INTERLEAVE_H

#include <linux/types.h>

/*
 * Sums at which the counts are halved. So many accesses tell the shares of 8 nodes to within a few
 * per cent. So many base pages of 4 KiB are 1 GiB, or 512 huge pages.
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

#endif /* PGHOT_PROMOTE_INTERLEAVE_H */
