/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Ageing by the multi-gen LRU
 */
#ifndef PGHOT_WRAPPER_AGING_H
#define PGHOT_WRAPPER_AGING_H

const char *pghot_aging_lacks(void);
bool pghot_aging_run(int nid);

#endif /* PGHOT_WRAPPER_AGING_H */
