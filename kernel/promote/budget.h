/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Budgets of promotion
 *
 * There are two: CPU time, which is shared among memory cgroups, and pages of the cgroups that
 * have a limit.
 */
#ifndef PGHOT_PROMOTE_BUDGET_H
#define PGHOT_PROMOTE_BUDGET_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;
struct tunable;

/**
 * enum budget_verdict - may a page be promoted?
 * @BUDGET_GO: yes
 * @BUDGET_CPU_NEW: its memory cgroup has used its share of the CPU time of this second, and
 *	wanted nothing more so far. If the page could be promoted otherwise, it does now:
 *	pghot_budget_refuse()
 * @BUDGET_CPU: its memory cgroup has used its share, and is known to want more
 * @BUDGET_LIMIT: its memory cgroup has used its limit of this second
 * @BUDGET_NEVER: nothing of its memory cgroup is promoted
 */
enum budget_verdict {
	BUDGET_GO,
	BUDGET_CPU_NEW,
	BUDGET_CPU,
	BUDGET_LIMIT,
	BUDGET_NEVER,
};

extern struct tunable pghot_promote_cpu_percent;

void pghot_budget_init(void);
enum budget_verdict pghot_budget_ask(struct folio *folio);
void pghot_budget_refuse(struct folio *folio);
void pghot_budget_charge(struct folio *folio, u64 cost);
u64 pghot_budget_take(struct mem_cgroup *memcg, unsigned int nr);
void pghot_budget_settle(struct mem_cgroup *memcg, u64 taken, u64 cost, unsigned int nr);
unsigned int pghot_budget_pass(u64 cost, u64 charged, bool refused);

#endif /* PGHOT_PROMOTE_BUDGET_H */
