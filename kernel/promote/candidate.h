/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What is known of a ready page while it is judged, and when it goes into a batch
 */
#ifndef PGHOT_PROMOTE_CANDIDATE_H
#define PGHOT_PROMOTE_CANDIDATE_H

#include <linux/types.h>

/**
 * struct candidate - a ready page
 * @pfn: its number; of a large folio, its head's
 * @accessor: node that used it last, NUMA_NO_NODE if unknown
 * @shared: it is used from several nodes
 * @counted: the throttle has counted it before, and it waits for the rate
 * @age_ms: time since its last access, ms
 * @look_ns: CPU time that the look at it has cost beyond what any look does, ns
 * @cpus: as in struct allowed
 * @wants: its cgroup has no CPU time left, and is not known to want more
 * @from: slow node that it is on, once that is known
 * @nid: node that it is to go to, once that is chosen
 */
struct candidate {
	unsigned long pfn;
	int accessor;
	bool shared;
	bool counted;
	unsigned int age_ms;
	u64 look_ns;
	unsigned int cpus;
	bool wants;
	int from;
	int nid;
};

#endif /* PGHOT_PROMOTE_CANDIDATE_H */
