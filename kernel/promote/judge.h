/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What becomes of one ready page
 *
 * May it be promoted now, and to which node?
 */
#ifndef PGHOT_PROMOTE_JUDGE_H
#define PGHOT_PROMOTE_JUDGE_H

#include <linux/nodemask.h>
#include <linux/types.h>

#include "promote/candidate.h"
#include "promote/promoter.h"
#include "wrapper/allowed.h"

struct interleave;

/**
 * enum fate - what becomes of a ready record
 * @FATE_OPEN: that is not decided yet: nothing speaks against promoting the page so far
 * @FATE_DROP: it is cleared, because it says nothing about the page any more
 * @FATE_COOL: it is not ready any more, but keeps its history, so that the page's next access
 *	makes it ready again
 * @FATE_WAIT: it stays ready, and the page is looked at again
 * @FATE_WAIT_COUNTED: likewise, and it is marked: the throttle has counted the page
 * @FATE_TAKEN: it is cleared, because the page is isolated for promotion
 */
enum fate {
	FATE_OPEN,
	FATE_DROP,
	FATE_COOL,
	FATE_WAIT,
	FATE_WAIT_COUNTED,
	FATE_TAKEN,
};

/**
 * struct findings - what the pages of one pass have shown about those to come
 * @no_room: no target had room for a base page, so nothing more can be promoted
 * @over_budget: a page was refused for its cgroup's share of CPU time, or for its limit
 * @charged: CPU time of looks that cgroups were charged with, ns
 * @spent: targets whose rate is used up for this second
 * @next_second: when the first of these has its next second, in the throttle's ms
 */
struct findings {
	bool no_room;
	bool over_budget;
	u64 charged;
	nodemask_t spent;
	unsigned int next_second;
};

/**
 * struct judge - what the pages of one slow node are judged by
 * @promoter: where isolated folios go
 * @use: which nodes use the memory of this one
 * @findings: of the current pass
 * @allowed: what the users of the page that it looks at say
 */
struct judge {
	struct promoter promoter;
	struct interleave *use;
	struct findings findings;
	struct allowed allowed;
};

int pghot_judge_init(struct judge *judge, int nid);
void pghot_judge_exit(struct judge *judge);
void pghot_judge_begin(struct judge *judge);
unsigned int pghot_judge_rate_wait_ms(const struct judge *judge);
bool pghot_judge_rate_is_spent(const struct judge *judge, const struct candidate *c);
bool pghot_judge_all_rates_are_spent(const struct judge *judge);
enum fate pghot_judge_page(struct judge *judge, struct candidate *c);

#endif /* PGHOT_PROMOTE_JUDGE_H */
