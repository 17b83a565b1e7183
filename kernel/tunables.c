// SPDX-License-Identifier: GPL-2.0
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "hotmap.h"
#include "pghot.h"
#include "sources/sources.h"
#include "stats.h"
#include "tunables.h"
#include "wrapper/symbols.h"

unsigned int pghot_enabled_sources = BIT(PGHOT_SRC_HINTFAULTS);
unsigned int pghot_freq_threshold = 2;
unsigned int pghot_freq_window_ms = 3000;
unsigned int pghot_kmigrated_batch_nr = 512;
unsigned int pghot_kmigrated_sleep_ms = 4;

struct tunable {
	struct kobj_attribute attr;
	unsigned int *value;
	unsigned int min;
	unsigned int max;
};

static ssize_t tunable_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct tunable *tunable = container_of(attr, struct tunable, attr);

	return sysfs_emit(buf, "%u\n", READ_ONCE(*tunable->value));
}

static int tunable_parse(const struct tunable *tunable, const char *text, unsigned int *value)
{
	int ret = kstrtouint(text, 0, value);

	if (ret)
		return ret;
	return *value < tunable->min || *value > tunable->max ? -ERANGE : 0;
}

static ssize_t tunable_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			     size_t count)
{
	struct tunable *tunable = container_of(attr, struct tunable, attr);
	unsigned int value;
	int ret = tunable_parse(tunable, buf, &value);

	if (ret)
		return ret;
	if (tunable->value == &pghot_enabled_sources) {
		ret = sources_set(value);
		return ret ?: count;
	}
	WRITE_ONCE(*tunable->value, value);
	return count;
}

#define TUNABLE(name, lowest, highest, text)				\
	static struct tunable tunable_##name = {			\
		.attr = __ATTR(name, 0644, tunable_show, tunable_store),\
		.value = &pghot_##name,					\
		.min = lowest,						\
		.max = highest,						\
	};								\
	module_param_cb(name, &tunable_param_ops, &tunable_##name, 0);	\
	MODULE_PARM_DESC(name, text)

/* At load only: the sources start when the rest of the module stands. */
static int tunable_param_set(const char *text, const struct kernel_param *param)
{
	const struct tunable *tunable = param->arg;
	unsigned int value;
	int ret = tunable_parse(tunable, text, &value);

	if (!ret)
		*tunable->value = value;
	return ret;
}

static const struct kernel_param_ops tunable_param_ops = { .set = tunable_param_set };

TUNABLE(enabled_sources, 0, BIT(PGHOT_NR_SRC) - 1,
	"Sources of hotness, a bit mask. 1: NUMA hint faults in tiering mode. (1)");
TUNABLE(freq_threshold, 1, PGHOT_FREQ_MAX,
	"Accesses within the window that make a page hot, 1 to 3. (2)");
TUNABLE(freq_window_ms, 1000, 3968,
	"Window in which accesses are counted, 1000 to 3968 ms. (3000)");
TUNABLE(kmigrated_batch_nr, 64, 1024,
	"Base pages promoted in one batch, 64 to 1024. (512)");
TUNABLE(kmigrated_sleep_ms, 0, 1000,
	"How long ready pages gather before kmigrated promotes them, 0 to 1000 ms. (4)");

static_assert(3968ull * NSEC_PER_MSEC >> PGHOT_BUCKET_SHIFT <= PGHOT_KEEP);

static ssize_t slow_nodes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", nodemask_pr_args(&pghot_slow_nodes));
}

static struct kobj_attribute slow_nodes_attr = __ATTR_RO(slow_nodes);

static struct attribute *attrs[] = {
	&tunable_enabled_sources.attr.attr,
	&tunable_freq_threshold.attr.attr,
	&tunable_freq_window_ms.attr.attr,
	&tunable_kmigrated_batch_nr.attr.attr,
	&tunable_kmigrated_sleep_ms.attr.attr,
	&slow_nodes_attr.attr,
	NULL
};

static const struct attribute_group group = { .attrs = attrs };

static const struct attribute_group *groups[] = { &group, &stats_group, NULL };

static struct kobject *pghot_kobj;

/**
 * tunables_init() - make /sys/kernel/mm/pghot/
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno, with nothing left behind.
 */
int tunables_init(void)
{
	int ret;

	pghot_kobj = kobject_create_and_add("pghot", symbols_mm_kobj());
	if (!pghot_kobj)
		return -ENOMEM;
	ret = sysfs_create_groups(pghot_kobj, groups);
	if (ret)
		kobject_put(pghot_kobj);
	return ret;
}

/**
 * tunables_exit() - remove /sys/kernel/mm/pghot/
 *
 * Process context, sleeps until nobody is inside one of its files.
 */
void tunables_exit(void)
{
	sysfs_remove_groups(pghot_kobj, groups);
	kobject_put(pghot_kobj);
}
