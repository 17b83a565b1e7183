/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The policy
 *
 * The policy: how much is looked at, which pages pay for being promoted, and which are to go
 * down for them.
 *
 * It stands between the sources of hotness and promotion. A source that looks at the memory of
 * both tiers tells it what it has found, and promotion tells it what moving pages has cost. Both
 * ask it what to do.
 */
#ifndef PGHOT_POLICY_POLICY_H
#define PGHOT_POLICY_POLICY_H

#include "policy/gain.h"
#include "policy/kind.h"
#include "policy/look.h"

extern struct tunable pghot_scan_cpu_percent;
extern const char * const pghot_policy_verdicts[GAIN_VERDICTS];

void pghot_policy_register(void);
int pghot_policy_init(void);
void pghot_policy_exit(void);

bool pghot_policy_seeks(enum policy_kind kind);
bool pghot_policy_seeks_idle(void);
bool pghot_policy_swaps(void);
bool pghot_policy_splits(bool slow);
unsigned int pghot_policy_window_us(enum policy_kind kind);
unsigned int pghot_policy_percent(void);
unsigned int pghot_policy_stride(enum policy_kind kind);
bool pghot_policy_is_eager(enum policy_kind kind);
void pghot_policy_accessed(bool slow, unsigned int reads, u64 ns);
void pghot_policy_wake(void);
void pghot_policy_looked(const struct policy_look *look);

void pghot_policy_moving(enum policy_kind kind);
bool pghot_policy_is_disturbed(enum policy_kind kind, u64 since);
void pghot_policy_moved(enum policy_kind kind, unsigned int nr_pages, u64 cost_ns);
void pghot_policy_room_made(long made, long taken);
void pghot_policy_demoted(unsigned long pfn);
bool pghot_policy_holds(unsigned long pfn);
void pghot_policy_promoted(unsigned long pfn);

#endif /* PGHOT_POLICY_POLICY_H */
