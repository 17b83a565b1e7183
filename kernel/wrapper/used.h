/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Whether a folio was used
 */
#ifndef PGHOT_WRAPPER_USED_H
#define PGHOT_WRAPPER_USED_H

#include <linux/types.h>

struct folio;

bool pghot_folio_was_used(struct folio *folio, bool again);

#endif /* PGHOT_WRAPPER_USED_H */
