/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The structure that alloc_migration_target() is handed
 */
#ifndef PGHOT_WRAPPER_MIGRATION_TARGET_H
#define PGHOT_WRAPPER_MIGRATION_TARGET_H

#include <linux/gfp_types.h>
#include <linux/migrate_mode.h>
#include <linux/nodemask_types.h>

/* As in mm/internal.h, which modules do not see, of 6.12; symbols.c has what is checked. */
struct migration_target_control {
	int nid;
	nodemask_t *nmask;
	gfp_t gfp_mask;
	enum migrate_reason reason;
};

#endif /* PGHOT_WRAPPER_MIGRATION_TARGET_H */
