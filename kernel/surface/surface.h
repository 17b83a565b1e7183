/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Files for administrators
 *
 * These are the files in sysfs, sysctl and debugfs. They are made from what the parts of pghot
 * have registered, see core/part.h.
 */
#ifndef PGHOT_SURFACE_SURFACE_H
#define PGHOT_SURFACE_SURFACE_H

struct kobject;
struct seq_file;

int pghot_surface_open(void);
void pghot_surface_close(void);

int pghot_sysfs_open(void);
void pghot_sysfs_close(void);

int pghot_counters_show(struct kobject *parent);
void pghot_counters_hide(void);
void pghot_counters_print(struct seq_file *seq);

int pghot_sysctl_open(void);
void pghot_sysctl_close(void);

void pghot_debugfs_open(void);
void pghot_debugfs_close(void);

#endif /* PGHOT_SURFACE_SURFACE_H */
