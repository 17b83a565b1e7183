// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The parameter that chooses the format of records
 */
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core/mode.h"
#include "core/textfile.h"

DEFINE_STATIC_KEY_FALSE(pghot_precise);

static const char * const modes[] = { "default", "precise" };

static char *mode;
module_param(mode, charp, 0);
MODULE_PARM_DESC(mode, "Records: default (1 byte a page) or precise (4 bytes). (default)");

static ssize_t mode_show(char *buf)
{
	return sysfs_emit(buf, "%s\n", modes[pghot_mode_is_precise()]);
}

const struct textfile pghot_mode_file = {
	.name = "mode",
	.mode = 0444,
	.show = mode_show,
};

/**
 * pghot_mode_load() - take over the parameter
 *
 * Process context, sleeps; before all else of the core.
 *
 * Return: 0, or -EINVAL with the reason in the log.
 */
int pghot_mode_load(void)
{
	int i = mode ? match_string(modes, ARRAY_SIZE(modes), mode) : 0;

	if (i < 0) {
		pr_err("mode=%s: must be default or precise\n", mode);
		return i;
	}
	if (i)
		static_branch_enable(&pghot_precise);
	return 0;
}

/**
 * pghot_mode_is_precise() - did the administrator choose precise mode?
 *
 * Any context, after pghot_mode_load(). For code that does not run for each access: that
 * uses rec_format().
 */
bool pghot_mode_is_precise(void)
{
	return static_key_enabled(&pghot_precise);
}
