/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Control groups with a limit
 *
 * An administrator has limited the promotion of these groups.
 */
#ifndef PGHOT_PROMOTE_CGROUPS_H
#define PGHOT_PROMOTE_CGROUPS_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct cgroup;
struct limit;
struct textfile;

extern const struct textfile pghot_cgroups_file;

/* Of what is used of limits and of shares. */
extern spinlock_t pghot_cgroups_lock;

void pghot_cgroups_exit(void);

struct limit *pghot_cgroups_find(struct cgroup *cgroup, u64 *key);

#endif /* PGHOT_PROMOTE_CGROUPS_H */
