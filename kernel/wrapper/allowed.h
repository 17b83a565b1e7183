/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Where memory may be by the rules of its users
 */
#ifndef PGHOT_WRAPPER_ALLOWED_H
#define PGHOT_WRAPPER_ALLOWED_H

#include <linux/nodemask_types.h>
#include <linux/types.h>

struct folio;

/**
 * struct allowed - what those who use a folio say of moving it
 * @nodes: nodes with memory that it may go to; empty if it has to stay
 * @home: node that its process runs on now; NUMA_NO_NODE if that is more than one, or if others
 *	could map it, too
 * @cpus: CPUs that one of its processes runs on, of all that map it the most. Where it is unmapped,
 *	these have to flush their TLBs
 * @cost_ns: CPU time that it took to find out because many could map the folio, or 0
 */
struct allowed {
	nodemask_t nodes;
	int home;
	unsigned int cpus;
	u64 cost_ns;
};

int pghot_allowed_ask(struct folio *folio, struct allowed *allowed);

#endif /* PGHOT_WRAPPER_ALLOWED_H */
