/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Reasons to keep a ready page back
 */
#ifndef PGHOT_PROMOTE_REFUSAL_H
#define PGHOT_PROMOTE_REFUSAL_H

/**
 * enum pghot_refusal - why a ready page is not promoted now
 * @PGHOT_REFUSED_FULL: no target has room for it
 * @PGHOT_REFUSED_DIRTY: page cache that is being written, or dirty on a file system
 *	that cannot move it so
 * @PGHOT_REFUSED_PINNED: pinned for DMA
 * @PGHOT_REFUSED_COLD: not hot enough for the hot threshold of its target
 * @PGHOT_REFUSED_RATE: the target has had its pages for this second
 * @PGHOT_REFUSED_POLICY: who uses it may not have it on another node: a memory policy, a
 *	cpuset, or code that several processes run
 * @PGHOT_REFUSED_SHARE: its memory cgroup has had its share of CPU time for this second
 * @PGHOT_REFUSED_CGROUP: the limit of its control group forbids it
 * @PGHOT_REFUSED_BOUNCE: it was demoted just before
 * @PGHOT_NR_REFUSALS: number of reasons
 */
enum pghot_refusal {
	PGHOT_REFUSED_FULL,
	PGHOT_REFUSED_DIRTY,
	PGHOT_REFUSED_PINNED,
	PGHOT_REFUSED_COLD,
	PGHOT_REFUSED_RATE,
	PGHOT_REFUSED_POLICY,
	PGHOT_REFUSED_SHARE,
	PGHOT_REFUSED_CGROUP,
	PGHOT_REFUSED_BOUNCE,
	PGHOT_NR_REFUSALS,
};

#endif /* PGHOT_PROMOTE_REFUSAL_H */
