/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What a source tells the policy of a look at memory
 */
#ifndef PGHOT_POLICY_LOOK_H
#define PGHOT_POLICY_LOOK_H

#include <linux/types.h>

#include "policy/kind.h"
#include "policy/rate.h"

/**
 * struct policy_look - what a source has found in some of the memory
 * @kind: the kind of folios that it has looked at
 * @hot: folios of slow nodes that were used in some windows: were they in the next?
 * @cold: folios of fast nodes that were not used in these: were they in the next?
 * @looked: base pages that were looked at
 * @used: of these, base pages that were used in the last window
 * @found: base pages of hot folios that were reported
 * @cpu_ns: CPU time that it took, ns
 * @sweep_ended: with this, all folios of the kind have been looked at
 */
struct policy_look {
	enum policy_kind kind;
	struct rate_sample hot;
	struct rate_sample cold;
	u64 looked;
	u64 used;
	unsigned long found;
	u64 cpu_ns;
	bool sweep_ended;
};

#endif /* PGHOT_POLICY_LOOK_H */
