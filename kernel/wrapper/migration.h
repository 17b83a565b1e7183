/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What alloc_migration_target() is asked for
 *
 * The kernel's own callers of migrate_pages() hand it a structure, which is read here.
 */
#ifndef PGHOT_WRAPPER_MIGRATION_H
#define PGHOT_WRAPPER_MIGRATION_H

#include "wrapper/migration_target.h"
#include "wrapper/symbols.h"

/**
 * migration_is_known() - does the running kernel hand over just that?
 *
 * Any context. The function below may only be used where it does.
 */
static inline bool migration_is_known(void)
{
	return pghot_symbols_known("migration_target_control");
}

/**
 * migration_second_chance() - is this demotion's second try to get memory?
 * @private: second argument of alloc_migration_target()
 *
 * For each folio, demotion first asks its target node alone, and if that has
 * nothing to give, all nodes of slower tiers. Any context.
 */
static __always_inline bool migration_second_chance(unsigned long private)
{
	const struct migration_target_control *mtc = (void *)private;

	return mtc->reason == MR_DEMOTION && !(mtc->gfp_mask & __GFP_THISNODE);
}

#endif /* PGHOT_WRAPPER_MIGRATION_H */
