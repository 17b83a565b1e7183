/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Ageing by the multi-gen LRU
 */
#ifndef PGHOT_WRAPPER_AGING_H
#define PGHOT_WRAPPER_AGING_H

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

const char *pghot_aging_lacks(void);
bool pghot_aging_run(int nid);

#endif /* PGHOT_WRAPPER_AGING_H */
