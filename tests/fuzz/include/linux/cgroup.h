/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups, of which the target makes a tree. */
#ifndef _LINUX_CGROUP_H
#define _LINUX_CGROUP_H

#include <linux/mmzone.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#define CSS_ONLINE		2
#define memory_cgrp_id		0

#define cgroup_subsys_enabled(subsys)	true
#define cgroup_subsys_on_dfl(subsys)	true

struct cgroup {
	struct {
		unsigned int flags;
	} self;
	int level;
	void *subsys[1];
	struct cgroup *parent;
	u64 id;
	unsigned int references;
};

static inline u64 cgroup_id(const struct cgroup *cgroup)
{
	return cgroup->id;
}

static inline bool cgroup_is_descendant(const struct cgroup *cgroup, const struct cgroup *of)
{
	while (cgroup && cgroup != of)
		cgroup = cgroup->parent;
	return cgroup;
}

/* Referenced, or an error: -ENOENT if there is no such group. */
struct cgroup *cgroup_get_from_path(const char *path);
void cgroup_path(const struct cgroup *cgroup, char *path, size_t size);

#endif /* _LINUX_CGROUP_H */
