// SPDX-License-Identifier: GPL-2.0
/*
 * sysctl vm.pghot_*
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "../inject.h"
#include "../tunables.h"
#include "surface.h"

static struct ctl_table table[PGHOT_NR_TUNABLES];
static struct ctl_table_header *header;

/*
 * A write is one whole value. Where the kernel's own handlers take no notice of a write
 * behind the start of the file, and call it a success, this one refuses it.
 */
static int tunable_sysctl(const struct ctl_table *entry, int write, void *buffer, size_t *lenp,
			  loff_t *ppos)
{
	const struct tunable *tunable = entry->data;
	char text[TUNABLE_TEXT];
	ssize_t ret;

	if (write) {
		ret = *ppos ? -EINVAL : tunable_set(tunable, buffer, *lenp);
		if (!ret)
			*ppos += *lenp;
		return ret;
	}
	ret = memory_read_from_buffer(buffer, *lenp, ppos, text,
				      scnprintf(text, sizeof(text), "%d\n", tunable_get(tunable)));
	if (ret < 0)
		return ret;
	*lenp = ret;
	return 0;
}

/**
 * sysctl_door_open() - make the sysctls
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind; the log says more.
 */
int sysctl_door_open(void)
{
	size_t nr = 0;
	int i;

	for (i = 0; i < PGHOT_NR_TUNABLES; i++) {
		if (!pghot_tunables[i].sysctl)
			continue;
		table[nr++] = (struct ctl_table) {
			.procname = pghot_tunables[i].sysctl,
			.data = &pghot_tunables[i],
			.mode = 0644,
			.proc_handler = tunable_sysctl,
		};
	}
	header = inject_alloc(NULL, register_sysctl_sz("vm", table, nr));
	return header ? 0 : -ENOMEM;
}

/**
 * sysctl_door_close() - remove the sysctls
 *
 * Process context, sleeps until nobody is inside one.
 */
void sysctl_door_close(void)
{
	unregister_sysctl_table(header);
}
