// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Putting probes on tracepoints
 *
 * A tracepoint that is not exported is found by its name among all tracepoints of the kernel.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "wrapper/probe.h"
#include "wrapper/symbols.h"

static void find_point(struct tracepoint *point, void *data)
{
	struct probe *probe = data;

	if (!strcmp(point->name, probe->event))
		probe->point = point;
}

/**
 * pghot_probe_start() - have a tracepoint call a probe
 * @probe: made by PROBE(), not in place
 *
 * Process context, sleeps.
 *
 * Return: 0; -ENOENT if the kernel has no such tracepoint, -ENOEXEC if it is of another type,
 * which the log said at load, or what the tracepoint says. On an error it is not in place.
 */
int pghot_probe_start(struct probe *probe)
{
	int ret = -ENOENT;

	if (!pghot_symbols_known(probe->event))
		return -ENOEXEC;
	probe->point = NULL;
	for_each_kernel_tracepoint(find_point, probe);
	if (probe->point)
		ret = tracepoint_probe_register(probe->point, probe->function, NULL);
	if (ret)
		probe->point = NULL;
	return ret;
}

/**
 * pghot_probe_stop() - have a probe called no more
 * @probe: the probe; nothing happens if it is not in place
 *
 * Process context, sleeps. On return nobody is inside the probe.
 */
void pghot_probe_stop(struct probe *probe)
{
	if (!probe->point)
		return;
	tracepoint_probe_unregister(probe->point, probe->function, NULL);
	tracepoint_synchronize_unregister();
	probe->point = NULL;
}
