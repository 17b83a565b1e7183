// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Who chooses the sources: the administrator, or pghot by itself
 */
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core/slow.h"
#include "core/source.h"
#include "core/textfile.h"
#include "core/tunable.h"
#include "policy/way.h"
#include "wrapper/balancing.h"

/* Changed under the mutex. */
static DEFINE_MUTEX(way_lock);
static bool automatic;

static const char * const ways[] = { "manual", "auto" };

/**
 * pghot_way_is_auto() - does the policy decide, and not the administrator?
 *
 * Any context.
 */
bool pghot_way_is_auto(void)
{
	return READ_ONCE(automatic);
}

/* On return the sources may be set by whoever has chosen. */
static void set_automatic(bool on)
{
	mutex_lock(&way_lock);
	if (on != automatic) {
		WRITE_ONCE(automatic, on);
		if (on)
			pghot_sources_set_wanted();
		if (on && !nodes_empty(pghot_slow_nodes))
			pghot_balancing_pause();
		if (!on)
			pghot_balancing_resume();
	}
	mutex_unlock(&way_lock);
}

static ssize_t way_show(char *buf)
{
	return sysfs_emit(buf, "%s\n", ways[pghot_way_is_auto()]);
}

static int way_set(const char *text, size_t len)
{
	char word[8];
	int way;

	if (len >= sizeof(word) || memchr(text, '\0', len))
		return -EINVAL;
	memcpy(word, text, len);
	word[len] = '\0';
	way = sysfs_match_string(ways, word);
	if (way < 0)
		return way;
	set_automatic(way);
	return 0;
}

const struct textfile pghot_way_file = {
	.name = "policy",
	.mode = 0644,
	.show = way_show,
	.set = way_set,
};

/**
 * pghot_way_by_hand() - the administrator has chosen the sources: they get just these
 *
 * Process context, sleeps.
 */
void pghot_way_by_hand(void)
{
	set_automatic(false);
}

/**
 * pghot_way_start() - start sources: those that the administrator has named, or what the
 *	machine has
 *
 * Process context, sleeps, while the module loads.
 *
 * Return: 0, or why a source that was named cannot be started.
 */
int pghot_way_start(void)
{
	if (pghot_enabled_sources.text)
		return pghot_sources_set(pghot_tunable_get(&pghot_enabled_sources));
	set_automatic(true);
	return 0;
}

/**
 * pghot_way_stop() - stop all sources, and give back what was switched
 *
 * Process context, sleeps. Nobody sets anything any more.
 */
void pghot_way_stop(void)
{
	set_automatic(false);
	pghot_sources_set(0);
}
