/* SPDX-License-Identifier: GPL-2.0 */
/* NUMA by system calls and sysfs, without a library. */
#ifndef LAB_NUMA_H
#define LAB_NUMA_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define NUMA_MAX_NODES	8
#define NUMA_PAGE	4096ul

/* True if the kernel has node @node online. */
int numa_node_online(int node);

/* The online node that @text names; else it complains about @option and exits with 2. */
int numa_node_argument(const char *option, const char *text);

/* CPUs of @node in @set; the number of them. */
int numa_node_cpus(int node, cpu_set_t *set);

/* New memory of this thread comes from @node only, or from anywhere if negative. */
int numa_bind_memory(int node);

/*
 * NUMA balancing leaves the range's pages where they are, until it is told not to @hold them
 * any more. 0, or -1 with errno.
 */
int numa_hold_memory(void *start, size_t bytes, bool hold);

/*
 * Count the pages of 4 KiB of the range by the node they are on. Returns the
 * number of pages that are on no node (not present), or -1 with errno.
 */
long numa_count_pages(const void *start, size_t bytes, size_t count[NUMA_MAX_NODES]);

#endif
