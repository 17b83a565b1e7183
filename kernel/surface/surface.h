/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The doors through which an administrator reads and sets; all end in tunable_set().
 */
#ifndef PGHOT_SURFACE_H
#define PGHOT_SURFACE_H

int sysfs_door_open(void);
void sysfs_door_close(void);

int sysctl_door_open(void);
void sysctl_door_close(void);

void debugfs_door_open(void);
void debugfs_door_close(void);

#endif /* PGHOT_SURFACE_H */
