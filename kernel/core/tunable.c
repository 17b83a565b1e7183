// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Setting tunables
 */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/string.h>

#include "core/mode.h"
#include "core/tunable.h"

/* One writer at a time, so that what follows from a value agrees with it. */
static DEFINE_MUTEX(tunables_lock);

static int tunable_parse(const struct tunable *tunable, const char *text, size_t len, int *value)
{
	int ret, max = tunable->max[pghot_mode_is_precise()];
	char number[TUNABLE_TEXT];

	if (len >= sizeof(number) || memchr(text, '\0', len))
		return -EINVAL;
	memcpy(number, text, len);
	number[len] = '\0';

	ret = kstrtoint(number, 0, value);
	if (ret)
		return ret;
	if (*value < tunable->min || *value > max || (tunable->is_mask && *value & ~max))
		return -ERANGE;
	if (tunable->is_node && *value != tunable->min && !node_state(*value, N_MEMORY))
		return -EINVAL;
	return 0;
}

static void complain(const struct tunable *tunable, const char *text)
{
	int max = tunable->max[pghot_mode_is_precise()];

	if (tunable->is_node)
		pr_err("%s=%s: must be %d or a node with memory (%*pbl)\n", tunable->name, text,
		       tunable->min, nodemask_pr_args(&node_states[N_MEMORY]));
	else if (tunable->is_mask)
		pr_err("%s=%s: must be a sum of bits of %#x\n", tunable->name, text, max);
	else
		pr_err("%s=%s: must be a number from %d to %d\n", tunable->name, text,
		       tunable->min, max);
}

/* The same of what was written to a file: its first line, as far as it can be printed. */
static void complain_of_write(const struct tunable *tunable, const char *text, size_t len)
{
	static DEFINE_RATELIMIT_STATE(often, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
	char line[TUNABLE_TEXT];
	size_t i;

	if (!__ratelimit(&often))
		return;
	len = min(len, sizeof(line) - 1);
	for (i = 0; i < len && text[i] != '\n'; i++)
		line[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	line[i] = '\0';
	complain(tunable, line);
}

/**
 * pghot_tunable_load() - give a tunable its first value
 * @tunable: which
 *
 * Process context, while the module loads and the mode is known. Calls no @apply: what would
 * act on the value does not run yet.
 *
 * Return: 0; -EINVAL or -ERANGE for a wrong parameter, with its range in the log.
 */
int pghot_tunable_load(struct tunable *tunable)
{
	int ret, value = tunable->initial[pghot_mode_is_precise()];

	if (tunable->text) {
		ret = tunable_parse(tunable, tunable->text, strlen(tunable->text), &value);
		if (ret) {
			complain(tunable, tunable->text);
			return ret;
		}
	}
	WRITE_ONCE(tunable->value, value);
	return 0;
}

/**
 * pghot_tunable_set() - set a tunable, through whichever door
 * @tunable: which
 * @text: a number as kstrtoint() takes it: decimal, octal or hexadecimal, nothing before
 *	it, and nothing after it but a newline
 * @len: length of @text
 *
 * Process context, sleeps. The log names the range that a value is out of.
 *
 * Return: 0; -EINVAL if @text is no number, or not that of a node with memory where it
 * must be; -ERANGE if the number is out of range; or what the tunable's @apply says. On any
 * error the old value stays.
 */
int pghot_tunable_set(struct tunable *tunable, const char *text, size_t len)
{
	int value, ret = tunable_parse(tunable, text, len, &value);

	if (ret) {
		complain_of_write(tunable, text, len);
		return ret;
	}
	mutex_lock(&tunables_lock);
	if (tunable->apply)
		ret = tunable->apply(tunable, value);
	else
		WRITE_ONCE(tunable->value, value);
	mutex_unlock(&tunables_lock);
	return ret;
}
