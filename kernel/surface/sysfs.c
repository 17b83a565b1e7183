// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/mm/pghot/: all tunables, what was chosen at load, what processes get of
 * the scanner, the event that performance counters count, limits of control groups, and the
 * counters.
 */
#include <linux/kobject.h>
#include <linux/nodemask.h>
#include <linux/sysfs.h>

#include "../cgroups.h"
#include "../inject.h"
#include "../sources/accessed.h"
#include "../sources/chmu_map.h"
#include "../sources/perf.h"
#include "../tiers.h"
#include "../stats.h"
#include "../tunables.h"
#include "../wrapper/symbols.h"
#include "surface.h"

static struct kobject *home;

static struct kobj_attribute attrs[PGHOT_NR_TUNABLES];

static ssize_t tunable_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", tunable_get(&pghot_tunables[attr - attrs]));
}

static ssize_t tunable_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			     size_t count)
{
	return tunable_set(&pghot_tunables[attr - attrs], buf, count) ?: count;
}

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", tunables_mode());
}

static struct kobj_attribute mode_attr = __ATTR_RO(mode);

static ssize_t slow_nodes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", nodemask_pr_args(&pghot_slow_nodes));
}

static struct kobj_attribute slow_nodes_attr = __ATTR_RO(slow_nodes);

/* Of each process, so no tunable. */
static ssize_t accessed_scale_read(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return accessed_scale_show(buf);
}

static ssize_t accessed_scale_write(struct kobject *kobj, struct kobj_attribute *attr,
				    const char *buf, size_t count)
{
	return accessed_scale_set(buf, count) ?: count;
}

static struct kobj_attribute accessed_scale_attr =
	__ATTR(accessed_scale, 0644, accessed_scale_read, accessed_scale_write);

/* Of several numbers, so no tunable. */
static ssize_t perf_event_read(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return perf_spec_show(buf);
}

static ssize_t perf_event_write(struct kobject *kobj, struct kobj_attribute *attr,
				const char *buf, size_t count)
{
	return perf_spec_set(buf, count) ?: count;
}

static struct kobj_attribute perf_event_attr =
	__ATTR(perf_event, 0644, perf_event_read, perf_event_write);

/* Of each CXL device, so no tunable either. */
static ssize_t chmu_map_read(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return chmu_map_show(buf);
}

static ssize_t chmu_map_write(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	return chmu_map_set(buf, count) ?: count;
}

static struct kobj_attribute chmu_map_attr = __ATTR(chmu_map, 0600, chmu_map_read, chmu_map_write);

/* Of each control group, so no tunable either. Which groups there are is not for everybody. */
static ssize_t cgroups_read(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return cgroups_show(buf);
}

static ssize_t cgroups_write(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			     size_t count)
{
	return cgroups_set(buf, count) ?: count;
}

static struct kobj_attribute cgroups_attr = __ATTR(cgroups, 0600, cgroups_read, cgroups_write);

static struct attribute *tunables[PGHOT_NR_TUNABLES + 1];

static const struct attribute_group tunables_group = { .attrs = tunables };

static struct attribute *others[] = {
	&mode_attr.attr,
	&slow_nodes_attr.attr,
	&accessed_scale_attr.attr,
	&perf_event_attr.attr,
	&chmu_map_attr.attr,
	&cgroups_attr.attr,
	NULL,
};

static const struct attribute_group others_group = { .attrs = others };

static const struct attribute_group *groups[] = { &tunables_group, &others_group, NULL };

/**
 * sysfs_door_open() - make /sys/kernel/mm/pghot/
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno, with nothing left behind.
 */
int sysfs_door_open(void)
{
	int i, ret;

	for (i = 0; i < PGHOT_NR_TUNABLES; i++) {
		attrs[i].attr.name = pghot_tunables[i].name;
		attrs[i].attr.mode = 0644;
		attrs[i].show = tunable_show;
		attrs[i].store = tunable_store;
		tunables[i] = &attrs[i].attr;
	}

	home = inject_alloc(NULL, kobject_create_and_add("pghot", symbols_mm_kobj()));
	if (!home)
		return -ENOMEM;
	ret = inject_alloc(-ENOMEM, sysfs_create_groups(home, groups));
	if (!ret)
		ret = stats_show(home);
	if (ret) {
		kobject_del(home);
		kobject_put(home);
	}
	return ret;
}

/**
 * sysfs_door_close() - remove /sys/kernel/mm/pghot/
 *
 * Process context, sleeps until nobody is inside one of its files.
 */
void sysfs_door_close(void)
{
	stats_hide();
	kobject_del(home);
	kobject_put(home);
}
