// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Limits of control groups
 *
 * The file /sys/kernel/mm/pghot/cgroups sets limits and shows them. When a page is judged, the
 * limit that is in force for its control group is looked up here: that of the group itself, or of
 * the nearest group above it that has one.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core/textfile.h"
#include "pghot.h"
#include "promote/cgroups.h"
#include "promote/limit.h"
#include "wrapper/memcg.h"

/* Settings at a time, at most. */
#define CGROUPS_MAX	64
/* The highest limit, as that of promote_rate_limit_MBps, MiB/s. */
#define MBPS_MAX	1048576
/* What is said instead of a limit, and means that there is none. */
#define NO_LIMIT	"max"

/**
 * struct setting - a limit of a control group
 * @cgroup: the group, referenced; it may have been removed since
 * @mbps: the limit, MiB/s
 * @limit: what was taken of it
 */
struct setting {
	struct cgroup *cgroup;
	unsigned int mbps;
	struct limit limit;
};

DEFINE_SPINLOCK(pghot_cgroups_lock);

/* Held by whoever changes the settings. They change with pghot_cgroups_lock held as well. */
static DEFINE_MUTEX(settings_lock);
static struct setting settings[CGROUPS_MAX];
static unsigned int nr_settings;

/* The id of the group that was last looked for, 0 if none was, and its setting or NULL. */
static u64 last_id;
static struct setting *last_found;

/* If @new is NULL the setting is removed. */
static void change(unsigned int i, const struct setting *new)
{
	struct cgroup *old = i < nr_settings ? settings[i].cgroup : NULL;

	spin_lock(&pghot_cgroups_lock);
	if (!new)
		settings[i] = settings[--nr_settings];
	else
		settings[i] = *new;
	if (new && !old)
		nr_settings++;
	last_id = 0;
	spin_unlock(&pghot_cgroups_lock);
	if (old)
		pghot_memcg_put_cgroup(old);
}

/*
 * Forgets the settings of groups that were removed. No other group ever gets their ids, so it does
 * not matter when this is done.
 */
static void forget_removed(void)
{
	unsigned int i = 0;

	while (i < nr_settings) {
		if (settings[i].cgroup->self.flags & CSS_ONLINE)
			i++;
		else
			change(i, NULL);
	}
}

/* Splits "PATH LIMIT" at the last blank, as a path may have some, too. */
static int parse(char *text, char **path, unsigned int *mbps, bool *forget)
{
	char *blank = strrchr(text, ' ');
	int ret;

	if (*text != '/' || !blank)
		return -EINVAL;
	*blank = '\0';
	*path = text;
	if (strchr(text, '\n'))
		return -EINVAL;
	*forget = sysfs_streq(blank + 1, NO_LIMIT);
	if (*forget)
		return 0;
	ret = kstrtouint(blank + 1, 10, mbps);
	if (!ret && *mbps > MBPS_MAX)
		ret = -ERANGE;
	return ret;
}

/* Takes over the reference to the group if it returns 0. */
static int store(struct cgroup *cgroup, unsigned int mbps, bool forget)
{
	const struct setting new = {
		.cgroup = cgroup,
		.mbps = mbps,
		.limit.pages_per_s = mbps * (u64)(SZ_1M / PAGE_SIZE),
		.limit.start = pghot_clock(),
	};
	unsigned int i;

	for (i = 0; i < nr_settings; i++) {
		if (settings[i].cgroup == cgroup)
			break;
	}
	if (!forget && i == CGROUPS_MAX)
		return -ENOSPC;
	if (!forget)
		change(i, &new);
	else if (i < nr_settings)
		change(i, NULL);
	if (forget)
		pghot_memcg_put_cgroup(cgroup);
	return 0;
}

/* Is memory charged to this group? Otherwise a limit would have no effect. */
static bool has_memory(struct cgroup *cgroup)
{
	return rcu_access_pointer(cgroup->subsys[memory_cgrp_id]);
}

static int set(char *text)
{
	struct cgroup *cgroup;
	unsigned int mbps = 0;
	bool forget;
	char *path;
	int ret = parse(text, &path, &mbps, &forget);

	if (ret)
		return ret;
	if (!cgroup_subsys_enabled(memory_cgrp_subsys) ||
	    !cgroup_subsys_on_dfl(memory_cgrp_subsys)) {
		pr_err("cgroups: memory is not charged to control groups of version 2\n");
		return -EOPNOTSUPP;
	}
	cgroup = cgroup_get_from_path(path);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	mutex_lock(&settings_lock);
	forget_removed();
	ret = has_memory(cgroup) ? store(cgroup, mbps, forget) : -ENODEV;
	mutex_unlock(&settings_lock);
	if (ret)
		pghot_memcg_put_cgroup(cgroup);
	return ret;
}

/*
 * cgroups_set() - limit the promotion of a control group, and of all below it
 * @text: "PATH LIMIT", and nothing else but a newline. PATH is of the version 2 hierarchy, as
 *	the writer sees it; LIMIT in MiB/s, or "max" to forget one
 * @len: length of @text
 *
 * Process context, sleeps.
 *
 * Return: 0; -EINVAL or -ERANGE for a wrong @text, -ENOENT or -ENOTDIR if @text names no
 * group, -ENODEV if no memory is charged to it, -EOPNOTSUPP where memory is not charged to
 * groups of version 2, -ENOSPC, -ENOMEM. On any error nothing has changed.
 */
static int cgroups_set(const char *text, size_t len)
{
	char *copy;
	int ret;

	if (memchr(text, '\0', len))
		return -EINVAL;
	copy = kmemdup_nul(text, len, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	ret = set(copy);
	kfree(copy);
	return ret;
}

/*
 * cgroups_show() - the limits
 * @buf: of a file in sysfs
 *
 * Process context, sleeps.
 *
 * Return: bytes; lines "PATH LIMIT", as many as there is room for; or -ENOMEM.
 */
static ssize_t cgroups_show(char *buf)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	unsigned int i;
	int len = 0;

	if (!path)
		return -ENOMEM;
	mutex_lock(&settings_lock);
	forget_removed();
	for (i = 0; i < nr_settings; i++) {
		cgroup_path(settings[i].cgroup, path, PATH_MAX);
		len += sysfs_emit_at(buf, len, "%s %u\n", path, settings[i].mbps);
	}
	mutex_unlock(&settings_lock);
	kfree(path);
	return textfile_whole_lines(buf, len);
}

/* Not everybody may know which control groups there are. */
const struct textfile pghot_cgroups_file = {
	.name = "cgroups",
	.mode = 0600,
	.show = cgroups_show,
	.set = cgroups_set,
};

/**
 * pghot_cgroups_exit() - forget all limits
 *
 * Process context. Nobody sets any more.
 */
void pghot_cgroups_exit(void)
{
	while (nr_settings)
		change(0, NULL);
}

/**
 * pghot_cgroups_find() - the limit of a control group
 * @cgroup: the group, referenced by the caller; NULL for none
 * @key: set to what stands for all that share one limit, or for the group if it has none
 *
 * The caller holds pghot_cgroups_lock, which the limit is used under, too.
 *
 * Return: the limit of the group or the nearest above it that has one, or NULL.
 */
struct limit *pghot_cgroups_find(struct cgroup *cgroup, u64 *key)
{
	u64 id = cgroup ? cgroup_id(cgroup) : 0;
	unsigned int i;

	*key = id;
	if (!nr_settings || !cgroup)
		return NULL;
	if (last_id != id) {
		last_id = id;
		last_found = NULL;
		for (i = 0; i < nr_settings; i++) {
			if (cgroup_is_descendant(cgroup, settings[i].cgroup) &&
			    (!last_found || settings[i].cgroup->level > last_found->cgroup->level))
				last_found = &settings[i];
		}
	}
	if (!last_found)
		return NULL;
	*key = cgroup_id(last_found->cgroup);
	return &last_found->limit;
}
