/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The mode
 *
 * The mode says which of the two formats records have. It is chosen when the module is loaded.
 */
#ifndef PGHOT_CORE_MODE_H
#define PGHOT_CORE_MODE_H

#include <linux/jump_label.h>

#include "core/record.h"

struct textfile;

DECLARE_STATIC_KEY_FALSE(pghot_precise);

extern const struct textfile pghot_mode_file;

int pghot_mode_load(void);
bool pghot_mode_is_precise(void);

/** rec_format() - the format that was chosen at load; any context */
static __always_inline const struct rec_format *rec_format(void)
{
	return static_branch_unlikely(&pghot_precise) ? &rec_precise : &rec_default;
}

#endif /* PGHOT_CORE_MODE_H */
