/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups whose promotion an administrator has limited.
 */
#ifndef PGHOT_CGROUPS_H
#define PGHOT_CGROUPS_H

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

#endif /* PGHOT_CGROUPS_H */
