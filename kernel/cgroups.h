/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups whose promotion an administrator has limited.
 */
#ifndef PGHOT_CGROUPS_H
#define PGHOT_CGROUPS_H

#include <linux/types.h>

struct cgroup;
struct limit;

int cgroups_set(const char *text, size_t len);
ssize_t cgroups_show(char *buf);
void cgroups_exit(void);

struct limit *cgroups_find(struct cgroup *cgroup, u64 *key);

#endif /* PGHOT_CGROUPS_H */
