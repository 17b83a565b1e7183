// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What several sources use
 */
#include <linux/errno.h>

#include "sources/sources.h"
#include "wrapper/divert.h"

/**
 * pghot_source_watch() - pghot_watch_start() for a source, which says why it is not available
 * @source: the source
 * @watch: what it watches
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno of pghot_watch_start(), with the reason in the log.
 */
int pghot_source_watch(struct pghot_source *source, struct divert *watch)
{
	int ret = pghot_watch_start(watch);

	if (ret == -ENOENT)
		pghot_source_unavailable(source, "this kernel has no function %s to watch",
					 watch->function);
	else if (ret == -ENOEXEC)
		pghot_source_unavailable(source, "%s is of another type", watch->function);
	else if (ret == -EBUSY)
		pghot_source_unavailable(source, "kernel.ftrace_enabled is 0");
	else if (ret)
		pghot_source_unavailable(source, "%s cannot be watched (%d)", watch->function,
					 ret);
	return ret;
}
