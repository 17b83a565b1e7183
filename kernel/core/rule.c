// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The rule by which records become ready
 */
#include <linux/cache.h>
#include <linux/mutex.h>
#include <linux/time64.h>

#include "core/mode.h"
#include "core/rule.h"
#include "core/tunable.h"

struct rec_rule pghot_rule __read_mostly;

/* Of the rule, and of who has said what the threshold is. */
static DEFINE_MUTEX(rule_lock);
static bool threshold_chosen;

static void rule_update(void);

static int rule_apply(struct tunable *tunable, int value)
{
	mutex_lock(&rule_lock);
	if (tunable == &pghot_freq_threshold)
		threshold_chosen = true;
	WRITE_ONCE(tunable->value, value);
	rule_update();
	mutex_unlock(&rule_lock);
	return 0;
}

PGHOT_TUNABLE(freq_threshold,
	      "Accesses within the window that make a page hot, 1 to 3, precise mode 1 to 7. (2; 1 for hint faults alone)",
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

/* Recorders may see some of the new rule with some of the old for a moment. */
static void rule_update(void)
{
	u64 window_ns = pghot_tunable_get(&pghot_promote_freq_window_ms) * (u64)NSEC_PER_MSEC;
	const struct rec_format *f = rec_format();

	rec_set_rule(f, &pghot_rule, rec_bucket(f, window_ns),
		     pghot_tunable_get(&pghot_freq_threshold));
}

/**
 * pghot_rule_update() - have the rule follow its tunables
 *
 * Process context, sleeps.
 */
void pghot_rule_update(void)
{
	mutex_lock(&rule_lock);
	rule_update();
	mutex_unlock(&rule_lock);
}

/**
 * pghot_rule_suit() - have the threshold suit the sources, unless the administrator has set it
 * @seldom: all sources that are on report a hot page so seldom that one access has to be enough
 *
 * Process context, sleeps.
 */
void pghot_rule_suit(bool seldom)
{
	int initial = pghot_freq_threshold.initial[pghot_mode_is_precise()];

	mutex_lock(&rule_lock);
	if (!threshold_chosen && !pghot_freq_threshold.text) {
		WRITE_ONCE(pghot_freq_threshold.value, seldom ? 1 : initial);
		rule_update();
	}
	mutex_unlock(&rule_lock);
}
