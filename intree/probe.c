// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Putting probes on tracepoints
 */
#include "mm/probe.h"

/**
 * pghot_probe_start() - have a tracepoint call a probe
 * @probe: made by PROBE(), not in place
 *
 * Process context, sleeps.
 *
 * Return: 0, or what the tracepoint says. On an error it is not in place.
 */
int pghot_probe_start(struct probe *probe)
{
	int ret = tracepoint_probe_register(probe->point, probe->function, NULL);

	probe->on = !ret;
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
	if (!probe->on)
		return;
	tracepoint_probe_unregister(probe->point, probe->function, NULL);
	tracepoint_synchronize_unregister();
	probe->on = false;
}
