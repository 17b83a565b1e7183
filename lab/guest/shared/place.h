/* SPDX-License-Identifier: GPL-2.0 */
/* On which nodes a range of memory is: whole pages of 4 KiB, all of them there. */
#ifndef LAB_PLACE_H
#define LAB_PLACE_H

#include <stddef.h>

/*
 * Move the range's pages to @node, and leave the range without a policy. 0, or -1 with
 * errno: EBUSY if some of them would not move.
 */
int place_move(void *start, size_t bytes, int node);

/*
 * Load each page once, for the plugin to see the frames; NUMA balancing is held from then on.
 * 0, or -1 with errno.
 */
int place_census(void *start, size_t bytes);

/* Print a JSON object: how many pages are on each node that there is. -1 with errno. */
int place_print(const void *start, size_t bytes);

#endif
