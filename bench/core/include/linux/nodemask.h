/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_NODEMASK_H
#define _LINUX_NODEMASK_H

#include <linux/bitmap.h>
#include <linux/numa.h>

#define MAX_NUMNODES	1024
/* Those that programs here use. */
#define nr_node_ids	3

typedef struct {
	DECLARE_BITMAP(bits, MAX_NUMNODES);
} nodemask_t;

#define node_isset(nid, mask)	test_bit(nid, (mask).bits)
#define node_set(nid, mask)	set_bit(nid, (mask).bits)
#define nodes_empty(mask)	(find_next_bit((mask).bits, MAX_NUMNODES, 0) == MAX_NUMNODES)
#define nodes_clear(mask)	((mask) = (nodemask_t){ 0 })
#define nodemask_pr_args(mask)	MAX_NUMNODES, (mask)->bits
#define for_each_node_mask(nid, mask)	for_each_set_bit(nid, (mask).bits, MAX_NUMNODES)

#endif /* _LINUX_NODEMASK_H */
