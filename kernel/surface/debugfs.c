// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Files in debugfs
 *
 * /sys/kernel/debug/pghot/ has the tunables that the first patches for pghot had there, and all
 * counters in one file.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "core/part.h"
#include "core/tunable.h"
#include "surface/surface.h"

static struct dentry *home;

static ssize_t tunable_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	const struct tunable *tunable = file->private_data;
	char text[TUNABLE_TEXT];

	return simple_read_from_buffer(buf, count, ppos, text,
				       scnprintf(text, sizeof(text), "%d\n",
						 pghot_tunable_get(tunable)));
}

static ssize_t tunable_write(struct file *file, const char __user *buf, size_t count,
			     loff_t *ppos)
{
	char text[TUNABLE_TEXT];

	if (count > sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	return pghot_tunable_set(file->private_data, text, count) ?: count;
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
	pghot_counters_print(seq);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(vmstat);

/**
 * pghot_debugfs_open() - make /sys/kernel/debug/pghot/
 *
 * Process context, sleeps. Nothing is lost without debugfs, so errors are ignored.
 */
void pghot_debugfs_open(void)
{
	struct tunable *const *tunable;
	struct pghot_part *part;

	home = debugfs_create_dir("pghot", NULL);
	for_each_part(part) {
		for_each_of(tunable, part->tunables) {
			if ((*tunable)->doors & TUNABLE_DEBUGFS)
				debugfs_create_file((*tunable)->name, 0644, home, *tunable,
						    &tunable_fops);
		}
	}
	debugfs_create_file("vmstat", 0444, home, NULL, &vmstat_fops);
}

/**
 * pghot_debugfs_close() - remove /sys/kernel/debug/pghot/
 *
 * Process context, sleeps until nobody is inside one of its files.
 */
void pghot_debugfs_close(void)
{
	debugfs_remove(home);
}
