/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: When a page is hot
 *
 * The tunables freq_threshold and promote_freq_window_ms say it.
 */
#ifndef PGHOT_CORE_RULE_H
#define PGHOT_CORE_RULE_H

#include "core/record.h"

struct tunable;

extern struct tunable pghot_freq_threshold;
extern struct tunable pghot_promote_freq_window_ms;

/* The two, in the terms of this mode's records. */
extern struct rec_rule pghot_rule;

void pghot_rule_update(void);
void pghot_rule_suit(bool seldom);

#endif /* PGHOT_CORE_RULE_H */
