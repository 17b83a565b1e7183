/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What promotion may take: CPU time, shared among memory cgroups, and pages of those that
 * have a limit.
 */
#ifndef PGHOT_BUDGET_H
#define PGHOT_BUDGET_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;
struct tunable;

/**
 * enum budget_verdict - may a page be promoted?
 * @BUDGET_GO: yes
 * @BUDGET_CPU: its memory cgroup has used its share of the CPU time of this second
 * @BUDGET_LIMIT: its memory cgroup has used its limit of this second
 * @BUDGET_NEVER: nothing of its memory cgroup is promoted
 */
enum budget_verdict {
	BUDGET_GO,
	BUDGET_CPU,
	BUDGET_LIMIT,
	BUDGET_NEVER,
};

extern struct tunable pghot_promote_cpu_percent;

void pghot_budget_init(void);
enum budget_verdict pghot_budget_ask(struct folio *folio);
u64 pghot_budget_take(struct mem_cgroup *memcg, unsigned int nr);
void pghot_budget_settle(struct mem_cgroup *memcg, u64 taken, u64 cost, unsigned int nr);
unsigned int pghot_budget_pass(u64 cost, bool refused);

#endif /* PGHOT_BUDGET_H */
