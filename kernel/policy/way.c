// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Who chooses the sources: the administrator, or pghot by itself
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include "core/slow.h"
#include "core/source.h"
#include "core/textfile.h"
#include "core/tunable.h"
#include "policy/way.h"
#include "wrapper/balancing.h"
#include "wrapper/placement.h"

/* Changed under the mutex. */
static DEFINE_MUTEX(way_lock);
static bool automatic;

/* Whether kernel.numa_balancing was in tiering mode when it was last looked at. */
static bool tiering;

/* Whether there were slow nodes then. */
static bool had_slow;

/* How often both are looked at. */
#define FOLLOW	HZ

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

static bool has_slow(void)
{
	return !nodes_empty(pghot_slow_nodes);
}

/* The mutex is held. Without slow nodes, balancing has work that pghot does not do. */
static void pause_balancing(void)
{
	had_slow = has_slow();
	if (had_slow)
		pghot_balancing_pause();
}

/* The mutex is held. */
static void change_automatic(bool on)
{
	if (on == automatic)
		return;
	WRITE_ONCE(automatic, on);
	if (on) {
		tiering = pghot_placement_tiering_enabled();
		pghot_sources_set_wanted();
		pause_balancing();
	} else {
		pghot_balancing_resume();
	}
}

static void set_automatic(bool on)
{
	mutex_lock(&way_lock);
	change_automatic(on);
	mutex_unlock(&way_lock);
}

static void follow(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(follow_work, follow);

/*
 * The kernel tells nobody when kernel.numa_balancing is set, so it is looked at now and then. At
 * boot this is mostly soon after the load, as sysctls are set after modules are loaded.
 */
static void follow(struct work_struct *work)
{
	bool now = pghot_placement_tiering_enabled();

	mutex_lock(&way_lock);
	if (now != tiering) {
		tiering = now;
		if (automatic) {
			pr_info("tiering mode of kernel.numa_balancing is %s now, choosing the sources again\n",
				now ? "on" : "off");
			pghot_sources_set_wanted();
			pause_balancing();
		} else if (pghot_sources_take_hint_faults()) {
			pr_info("tiering mode of kernel.numa_balancing is %s now: hint faults %s\n",
				now ? "on" : "off", now ? "arrive" : "do not arrive any more");
		}
	}
	/* Once only: the administrator may switch it on again. */
	if (automatic && had_slow != has_slow())
		pause_balancing();
	mutex_unlock(&way_lock);
	queue_delayed_work(system_freezable_power_efficient_wq, &follow_work, FOLLOW);
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
 * pghot_way_by_hand() - run the sources that the administrator has chosen, and just these
 * @mask: bits of sources that are registered
 *
 * Process context, sleeps.
 *
 * Return: 0, or why a source cannot start; then nothing has changed.
 */
int pghot_way_by_hand(unsigned int mask)
{
	int ret;

	mutex_lock(&way_lock);
	ret = pghot_sources_set(mask);
	if (!ret)
		change_automatic(false);
	mutex_unlock(&way_lock);
	return ret;
}

/**
 * pghot_way_start() - start sources: those that the administrator has named, or what the
 *	machine has
 *
 * Process context, sleeps, while the module loads.
 *
 * Return: 0, or why a source that was named cannot be started; -ENODEV in place of -ENOENT.
 */
int pghot_way_start(void)
{
	int ret = 0;

	tiering = pghot_placement_tiering_enabled();
	if (pghot_enabled_sources.text)
		ret = pghot_sources_set(pghot_tunable_get(&pghot_enabled_sources));
	else
		set_automatic(true);
	/* What loads modules takes this error for a symbol that the kernel lacks. */
	if (ret == -ENOENT)
		ret = -ENODEV;
	if (!ret)
		queue_delayed_work(system_freezable_power_efficient_wq, &follow_work, FOLLOW);
	return ret;
}

/**
 * pghot_way_announce() - tell the log if the kernel moves pages of slow nodes, too
 *
 * Process context, when nothing can fail any more. Distributions have NUMA balancing in this mode.
 * Who looks at pghot's counters alone sees nothing move.
 */
void pghot_way_announce(void)
{
	if (!nodes_empty(pghot_slow_nodes) && pghot_balancing_moves_slow())
		pr_info("kernel.numa_balancing is 1: the kernel moves pages of slow nodes as well, in page faults, and pghot does not count these\n");
}

/**
 * pghot_way_stop() - stop all sources, and give back what was switched
 *
 * Process context, sleeps. Nobody sets anything any more.
 */
void pghot_way_stop(void)
{
	cancel_delayed_work_sync(&follow_work);
	set_automatic(false);
	pghot_sources_set(0);
}
