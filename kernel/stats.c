// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "stats.h"

DEFINE_PER_CPU(unsigned long [PGHOT_NR_STATS], pghot_stats);

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf);

static struct kobj_attribute stats[] = {
	[STAT_RECORDED_HINTFAULTS] = __ATTR(recorded_hintfaults, 0444, stat_show, NULL),
	[STAT_RECORDED_ACCESSES] = __ATTR(recorded_accesses, 0444, stat_show, NULL),
	[STAT_MADE_READY] = __ATTR(made_ready, 0444, stat_show, NULL),
	[STAT_EXPIRED] = __ATTR(expired, 0444, stat_show, NULL),
	[STAT_REFUSED_FULL] = __ATTR(refused_full, 0444, stat_show, NULL),
	[STAT_REFUSED_DIRTY] = __ATTR(refused_dirty, 0444, stat_show, NULL),
	[STAT_REFUSED_ISOLATE] = __ATTR(refused_isolate, 0444, stat_show, NULL),
	[STAT_PROMOTED] = __ATTR(promoted, 0444, stat_show, NULL),
	[STAT_MIGRATE_FAILED] = __ATTR(migrate_failed, 0444, stat_show, NULL),
	[STAT_PASSES] = __ATTR(kmigrated_passes, 0444, stat_show, NULL),
	[STAT_BATCHES] = __ATTR(kmigrated_batches, 0444, stat_show, NULL),
};

static_assert(ARRAY_SIZE(stats) == PGHOT_NR_STATS);

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(pghot_stats, cpu)[attr - stats];
	return sysfs_emit(buf, "%lu\n", sum);
}

static struct attribute *stat_attrs[] = {
	&stats[STAT_RECORDED_HINTFAULTS].attr,
	&stats[STAT_RECORDED_ACCESSES].attr,
	&stats[STAT_MADE_READY].attr,
	&stats[STAT_EXPIRED].attr,
	&stats[STAT_REFUSED_FULL].attr,
	&stats[STAT_REFUSED_DIRTY].attr,
	&stats[STAT_REFUSED_ISOLATE].attr,
	&stats[STAT_PROMOTED].attr,
	&stats[STAT_MIGRATE_FAILED].attr,
	&stats[STAT_PASSES].attr,
	&stats[STAT_BATCHES].attr,
	NULL
};

const struct attribute_group stats_group = {
	.name = "stats",
	.attrs = stat_attrs,
};
