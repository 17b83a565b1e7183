/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots of /proc/vmstat and what changed between two of them. */
#ifndef LAB_VMSTAT_H
#define LAB_VMSTAT_H

#define VMSTAT_BYTES	16384

struct vmstat {
	char text[VMSTAT_BYTES];
};

/* Read the counters. Negative with errno on failure. */
int vmstat_read(struct vmstat *v);

/* Print a JSON object with every counter that differs, as @after minus @before. */
void vmstat_print_diff(const struct vmstat *before, const struct vmstat *after);

#endif
