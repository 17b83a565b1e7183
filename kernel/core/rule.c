// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The rule by which records become ready
 */
#include <linux/cache.h>
#include <linux/time64.h>

#include "core/mode.h"
#include "core/rule.h"
#include "core/tunable.h"

struct rec_rule pghot_rule __read_mostly;

static int rule_apply(struct tunable *tunable, int value)
{
	WRITE_ONCE(tunable->value, value);
	pghot_rule_update();
	return 0;
}

PGHOT_TUNABLE(freq_threshold,
	      "Accesses within the window that make a page hot, 1 to 3, precise mode 1 to 7. (2)",
	      .doors = TUNABLE_SYSCTL | TUNABLE_DEBUGFS,
	      .min = 1,
	      .max = { 3, 7 },
	      .initial = BOTH_MODES(2),
	      .apply = rule_apply);

PGHOT_TUNABLE(promote_freq_window_ms,
	      "Window in which accesses are counted, 1000 to 3968 ms, precise mode 1000 to 16383 ms. (3000, precise mode 5000)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 1000,
	      .max = { 3968, 16383 },
	      .initial = { 3000, 5000 },
	      .apply = rule_apply);

/**
 * pghot_rule_update() - have the rule follow its tunables
 *
 * Process context. The caller serialises the calls. Recorders may see some of the new rule
 * with some of the old for a moment.
 */
void pghot_rule_update(void)
{
	u64 window_ns = pghot_tunable_get(&pghot_promote_freq_window_ms) * (u64)NSEC_PER_MSEC;
	const struct rec_format *f = rec_format();

	rec_set_rule(f, &pghot_rule, rec_bucket(f, window_ns),
		     pghot_tunable_get(&pghot_freq_threshold));
}
