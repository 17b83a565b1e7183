/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Where memory may be by the rules of its users
 */
#ifndef PGHOT_WRAPPER_ALLOWED_H
#define PGHOT_WRAPPER_ALLOWED_H

#include <linux/nodemask_types.h>
#include <linux/types.h>

struct folio;

int pghot_allowed_nodes(struct folio *folio, nodemask_t *nodes, u64 *cost_ns);

#endif /* PGHOT_WRAPPER_ALLOWED_H */
