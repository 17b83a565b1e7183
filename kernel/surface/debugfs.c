// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/pghot/: the tunables that the first patches for pghot had there, and
 * the counters in one file.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "../stats.h"
#include "../tunables.h"
#include "surface.h"

static struct dentry *home;

static ssize_t tunable_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	const struct tunable *tunable = file->private_data;
	char text[TUNABLE_TEXT];

	return simple_read_from_buffer(buf, count, ppos, text,
				       scnprintf(text, sizeof(text), "%d\n", tunable_get(tunable)));
}

static ssize_t tunable_write(struct file *file, const char __user *buf, size_t count,
			     loff_t *ppos)
{
	char text[TUNABLE_TEXT];

	if (count > sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	return tunable_set(file->private_data, text, count) ?: count;
}

/* With an owner, as an open file keeps a pointer to this until it is closed. */
static const struct file_operations tunable_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = tunable_read,
	.write = tunable_write,
	.llseek = default_llseek,
};

static int vmstat_show(struct seq_file *seq, void *unused)
{
	stats_print(seq);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(vmstat);

/**
 * debugfs_door_open() - make /sys/kernel/debug/pghot/
 *
 * Process context, sleeps. Without debugfs nothing is lost, so errors are no matter.
 */
void debugfs_door_open(void)
{
	int i;

	home = debugfs_create_dir("pghot", NULL);
	for (i = 0; i < PGHOT_NR_TUNABLES; i++) {
		struct tunable *tunable = &pghot_tunables[i];

		if (tunable->debugfs)
			debugfs_create_file(tunable->name, 0644, home, tunable, &tunable_fops);
	}
	debugfs_create_file("vmstat", 0444, home, NULL, &vmstat_fops);
}

/**
 * debugfs_door_close() - remove /sys/kernel/debug/pghot/
 *
 * Process context, sleeps until nobody is inside one of its files.
 */
void debugfs_door_close(void)
{
	debugfs_remove(home);
}
