/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Ageing by the multi-gen LRU
 */
#ifndef PGHOT_WRAPPER_AGING_H
#define PGHOT_WRAPPER_AGING_H

#include <linux/page-flags.h>

#include "wrapper/aginghook.h"
#include "wrapper/divert.h"

/**
 * aging_folio() - the folio that ageing has found accessed
 * @fregs: of the call of AGING_FUNCTION
 * @gen: where to leave the youngest generation
 *
 * For handlers.
 *
 * Return: the folio, mapped; NULL if this call is for none.
 */
static __always_inline struct folio *aging_folio(struct ftrace_regs *fregs, int *gen)
{
	*gen = (int)divert_arg(fregs, AGING_GEN);
	return (struct folio *)divert_arg(fregs, AGING_FOLIO);
}

/**
 * aging_only_marks() - will ageing leave this folio in its generation?
 * @folio: from aging_folio()
 *
 * For handlers.
 *
 * Return: true if it is found for the first time, on kernels that only mark it then. Its generation
 * does not tell afterwards that this round has met it.
 */
static __always_inline bool aging_only_marks(const struct folio *folio)
{
	return AGING_MARKS && !folio_test_referenced(folio) && !folio_test_workingset(folio);
}

const char *pghot_aging_lacks(void);
bool pghot_aging_run(int nid);

#endif /* PGHOT_WRAPPER_AGING_H */
