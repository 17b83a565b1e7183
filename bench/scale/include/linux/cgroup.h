/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups of one hierarchy, which never go away. A program says which there are. */
#ifndef _LINUX_CGROUP_H
#define _LINUX_CGROUP_H

#include <stdio.h>

#include <linux/kernel.h>
#include <linux/mmzone.h>
#include <linux/rcupdate.h>

#define CSS_ONLINE	1u
#define MAX_DEPTH	4

enum {
	memory_cgrp_id,
	SUBSYSTEMS,
};

struct cgroup_subsys_state {
	unsigned int flags;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct cgroup_subsys_state *subsys[SUBSYSTEMS];
	struct cgroup *ancestors[MAX_DEPTH];
	int level;
	u64 id;
};

#define cgroup_id(cgroup)		((cgroup)->id)
#define cgroup_subsys_enabled(subsys)	true
#define cgroup_subsys_on_dfl(subsys)	true

static inline bool cgroup_is_descendant(struct cgroup *cgroup, struct cgroup *ancestor)
{
	return cgroup->level >= ancestor->level &&
	       cgroup->ancestors[ancestor->level] == ancestor;
}

/* Its path is its id. */
static inline int cgroup_path(struct cgroup *cgroup, char *buf, size_t size)
{
	return snprintf(buf, size, "/%llu", (unsigned long long)cgroup->id);
}

struct cgroup *cgroup_get_from_path(const char *path);

#endif /* _LINUX_CGROUP_H */
