/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Pages of fast nodes that nobody has used for a while
 *
 * Pages of fast nodes that nobody has used for a while.
 *
 * A source that looks at the pages of fast nodes, too, offers those that it finds idle, and
 * promotion demotes them where it needs their room.
 */
#ifndef PGHOT_CORE_COLD_H
#define PGHOT_CORE_COLD_H

#include <linux/types.h>

int pghot_cold_init(void);
void pghot_cold_exit(void);
void pghot_cold_offer(unsigned long pfn, unsigned int nr, bool long_idle);
bool pghot_cold_take(int nid, bool huge, unsigned long *pfn);
unsigned int pghot_cold_pages(int nid, bool huge);

#endif /* PGHOT_CORE_COLD_H */
