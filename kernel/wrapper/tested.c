// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Refusing kernels that pghot was not tested with
 *
 * What pghot uses of the kernel changes from one kernel to the next. Types are compared when it is
 * loaded. But a function of the same type may do something else.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/utsname.h>

#include "wrapper/series.h"
#include "wrapper/tested.h"

static bool untested_kernel;
module_param(untested_kernel, bool, 0);
MODULE_PARM_DESC(untested_kernel, "Load on a kernel that pghot was not tested with, too. (0)");

/**
 * pghot_tested_load() - may pghot be loaded into this kernel?
 *
 * Process context, while the module loads.
 *
 * Return: 0, or -EOPNOTSUPP with the reason in the log: the kernel is older or newer than those
 * that pghot was tested with, and the administrator has not said that it may be.
 */
int pghot_tested_load(void)
{
	const char *release = init_utsname()->release, *newest = TESTED_NEWEST;

	/* It is compared as it is in the built module, where the tests change it. */
	OPTIMIZER_HIDE_VAR(newest);
	if (series_within(release, TESTED_OLDEST, newest))
		return 0;
	if (untested_kernel) {
		pr_warn("this kernel is %s, and pghot was tested with %s to %s\n", release,
			TESTED_OLDEST, newest);
		return 0;
	}
	pr_err("this kernel is %s, and pghot was tested with %s to %s: untested_kernel=1 loads it all the same\n",
	       release, TESTED_OLDEST, newest);
	return -EOPNOTSUPP;
}
