// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The register of sources
 *
 * It knows which sources there are, and switches them on and off.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/stdarg.h>
#include <linux/sysfs.h>

#include "core/rule.h"
#include "core/source.h"
#include "core/textfile.h"
#include "core/trace.h"
#include "core/tunable.h"
#include "pghot.h"

DEFINE_PER_CPU(unsigned long [PGHOT_MAX_SRC], pghot_recorded);

static DEFINE_MUTEX(sources_lock);
static struct pghot_source *sources[PGHOT_MAX_SRC];
static unsigned int running;

/* Runs the sources that the administrator has chosen. */
static int (*sources_choose)(unsigned int mask) = pghot_sources_set;

static int sources_apply(struct tunable *tunable, int value)
{
	return sources_choose(value);
}

/* Each source adds its bit to the highest value. */
PGHOT_TUNABLE(enabled_sources,
	      "Sources of hotness, a bit mask; /sys/kernel/mm/pghot/sources lists them. (what the policy chooses)",
	      .doors = TUNABLE_SYSCTL | TUNABLE_DEBUGFS,
	      .is_mask = true,
	      .apply = sources_apply);

static ssize_t sources_show(char *buf)
{
	unsigned int bit, mask = pghot_tunable_get(&pghot_enabled_sources);
	ssize_t len = 0;

	mutex_lock(&sources_lock);
	for (bit = 0; bit < PGHOT_MAX_SRC; bit++) {
		const struct pghot_source *source = sources[bit];

		if (source)
			len += sysfs_emit_at(buf, len, "%s %lu %s%s%s\n", source->name, BIT(bit),
					     mask & BIT(bit) ? "on" : "off",
					     *source->reason ? ": " : "", source->reason);
	}
	mutex_unlock(&sources_lock);
	return len;
}

/* Lines "NAME BIT on|off", and after a colon why one could not be started the last time. */
const struct textfile pghot_sources_file = {
	.name = "sources",
	.mode = 0444,
	.show = sources_show,
};

static int source_start(struct pghot_source *source)
{
	int ret;

	source->reason[0] = '\0';
	ret = source->start ? source->start() : 0;
	/* Not every failure has a reason of its own, for example a lack of memory. */
	if (ret && !*source->reason)
		snprintf(source->reason, sizeof(source->reason), "error %d, see the kernel log",
			 ret);
	trace_pghot_source(source->bit, source->name, !ret, source->reason);
	return ret;
}

static void source_stop(struct pghot_source *source)
{
	if (source->stop)
		source->stop();
	trace_pghot_source(source->bit, source->name, false, "");
}

static void stop_all(unsigned long mask)
{
	unsigned int bit;

	for_each_set_bit(bit, &mask, PGHOT_MAX_SRC)
		source_stop(sources[bit]);
}

/* Returns why one of them cannot start; then none has. */
static int start_all(unsigned long mask)
{
	unsigned int bit;
	int ret;

	for_each_set_bit(bit, &mask, PGHOT_MAX_SRC) {
		ret = source_start(sources[bit]);
		if (ret) {
			stop_all(mask & (BIT(bit) - 1));
			return ret;
		}
	}
	return 0;
}

/* Do all of them report hot pages seldom? There is one at least. */
static bool all_seldom(unsigned long mask)
{
	unsigned int bit;

	for_each_set_bit(bit, &mask, PGHOT_MAX_SRC)
		if (!sources[bit]->is_seldom)
			return false;
	return mask;
}

/**
 * pghot_sources_set() - run just these sources
 * @mask: bits of sources that are registered
 *
 * Process context, sleeps. A source that is off costs nothing.
 *
 * Return: 0, or why a source cannot start; then nothing has changed.
 */
int pghot_sources_set(unsigned int mask)
{
	int ret;

	mutex_lock(&sources_lock);
	/* What a source reports counts from its start on, however long others take to start. */
	WRITE_ONCE(pghot_enabled_sources.value, running | mask);
	ret = start_all(mask & ~running);
	if (!ret) {
		stop_all(running & ~mask);
		running = mask;
		pghot_rule_suit(all_seldom(mask));
	}
	WRITE_ONCE(pghot_enabled_sources.value, running);
	mutex_unlock(&sources_lock);
	return ret;
}

/**
 * pghot_sources_set_wanted() - run what is wanted on this machine, as far as it can be started
 *
 * Process context, sleeps. The log and the file "sources" say why one cannot.
 */
void pghot_sources_set_wanted(void)
{
	unsigned int bit, mask = 0;

	for (bit = 0; bit < PGHOT_MAX_SRC; bit++) {
		const struct pghot_source *source = sources[bit];

		if (source && source->wanted && source->wanted() &&
		    !pghot_sources_set(pghot_tunable_get(&pghot_enabled_sources) | BIT(bit)))
			mask |= BIT(bit);
	}
	pghot_sources_set(mask);
}

/**
 * pghot_sources_on_choice() - say who runs the sources that the administrator chooses
 * @choose: called then in place of pghot_sources_set(), in process context
 *
 * Process context, while the module loads.
 */
void pghot_sources_on_choice(int (*choose)(unsigned int mask))
{
	sources_choose = choose;
}

/**
 * pghot_source_register() - make a source known
 * @source: the source
 *
 * Process context, while the module loads, before pghot_parts_load().
 *
 * Return: 0, or -EINVAL for a place in enabled_sources that another source has, or that does
 * not exist.
 */
int pghot_source_register(struct pghot_source *source)
{
	int mode;

	if (source->bit >= PGHOT_MAX_SRC || sources[source->bit])
		return -EINVAL;
	sources[source->bit] = source;
	for (mode = 0; mode < ARRAY_SIZE(pghot_enabled_sources.max); mode++)
		pghot_enabled_sources.max[mode] |= BIT(source->bit);
	pghot_part_register(&source->part);
	return 0;
}

/**
 * pghot_sources_forget() - forget what was set of each source
 *
 * Process context, sleeps. All sources are off, and nobody sets any more.
 */
void pghot_sources_forget(void)
{
	unsigned int bit;

	for (bit = 0; bit < PGHOT_MAX_SRC; bit++)
		if (sources[bit] && sources[bit]->forget)
			sources[bit]->forget();
}

/**
 * pghot_sources_take_hint_faults() - does a source keep the kernel from promoting in faults?
 *
 * Any context.
 */
bool pghot_sources_take_hint_faults(void)
{
	unsigned long mask = pghot_tunable_get(&pghot_enabled_sources);
	unsigned int bit;

	for_each_set_bit(bit, &mask, PGHOT_MAX_SRC)
		if (sources[bit]->takes_hint_faults)
			return true;
	return false;
}

/**
 * pghot_source_name() - name of a source
 * @bit: its place in enabled_sources
 *
 * Any context, NMI included.
 *
 * Return: the name; "?" if there is no such source.
 */
const char *pghot_source_name(unsigned int bit)
{
	return bit < PGHOT_MAX_SRC && sources[bit] ? sources[bit]->name : "?";
}

/**
 * pghot_source_unavailable() - say why a source cannot be started
 * @source: the source
 * @reason: format of the reason, which completes "not available, because"
 *
 * Process context, from the source's @start. The reason goes to the log, and is kept.
 */
void pghot_source_unavailable(struct pghot_source *source, const char *reason, ...)
{
	va_list args;

	va_start(args, reason);
	vsnprintf(source->reason, sizeof(source->reason), reason, args);
	va_end(args);
	pr_err("%s: not available, because %s\n", source->title, source->reason);
}
