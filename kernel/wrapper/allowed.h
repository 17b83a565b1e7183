/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where memory may be, by the rules of who uses it.
 */
#ifndef PGHOT_WRAPPER_ALLOWED_H
#define PGHOT_WRAPPER_ALLOWED_H

#include <linux/nodemask_types.h>

struct folio;

int pghot_allowed_nodes(struct folio *folio, nodemask_t *nodes);

#endif /* PGHOT_WRAPPER_ALLOWED_H */
