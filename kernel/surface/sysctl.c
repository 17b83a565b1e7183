// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Tunables as sysctls
 *
 * They are called ``vm.pghot_NAME``.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "core/part.h"
#include "core/tunable.h"
#include "surface/surface.h"
#include "testing/inject.h"

static struct ctl_table *table;
static struct ctl_table_header *header;

/*
 * A write is one whole value. The kernel's own handlers ignore a write that does not begin at the
 * start of the file, and call it a success. This one refuses it.
 */
static int tunable_sysctl(const struct ctl_table *entry, int write, void *buffer, size_t *lenp,
			  loff_t *ppos)
{
	struct tunable *tunable = entry->data;
	char text[TUNABLE_TEXT];
	ssize_t ret;

	if (write) {
		ret = *ppos ? -EINVAL : pghot_tunable_set(tunable, buffer, *lenp);
		if (!ret)
			*ppos += *lenp;
		return ret;
	}
	ret = memory_read_from_buffer(buffer, *lenp, ppos, text,
				      scnprintf(text, sizeof(text), "%d\n",
						pghot_tunable_get(tunable)));
	if (ret < 0)
		return ret;
	*lenp = ret;
	return 0;
}

/* Fills the table, unless that is NULL. Returns how many sysctls there are. */
static size_t fill(struct ctl_table *to)
{
	struct tunable *const *tunable;
	struct pghot_part *part;
	size_t nr = 0;

	for_each_part(part) {
		for_each_of(tunable, part->tunables) {
			if (!((*tunable)->doors & TUNABLE_SYSCTL))
				continue;
			if (to)
				to[nr] = (struct ctl_table) {
					.procname = (*tunable)->sysctl,
					.data = *tunable,
					.mode = 0644,
					.proc_handler = tunable_sysctl,
				};
			nr++;
		}
	}
	return nr;
}

/**
 * pghot_sysctl_open() - make the sysctls
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM, with nothing left behind; the log says more.
 */
int pghot_sysctl_open(void)
{
	size_t nr = fill(NULL);

	table = inject_alloc(NULL, kcalloc(nr, sizeof(*table), GFP_KERNEL));
	if (!table)
		return -ENOMEM;
	fill(table);
	header = inject_alloc(NULL, register_sysctl_sz("vm", table, nr));
	if (!header)
		kfree(table);
	return header ? 0 : -ENOMEM;
}

/**
 * pghot_sysctl_close() - remove the sysctls
 *
 * Process context, sleeps until nobody is inside one.
 */
void pghot_sysctl_close(void)
{
	unregister_sysctl_table(header);
	kfree(table);
}
