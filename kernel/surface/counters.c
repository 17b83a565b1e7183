// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Files that show counters
 *
 * The sums are files of /sys/kernel/mm/pghot/stats/, the values of a node are files of
 * /sys/kernel/mm/pghot/node<N>/, and all sums are lines of the file vmstat in debugfs.
 */
#include <linux/kobject.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/counter.h"
#include "core/nodestat.h"
#include "core/part.h"
#include "surface/surface.h"
#include "testing/inject.h"

/**
 * enum counter_kind - where the value of a file comes from, and in which directories it is
 * @PER_CPU: a counter of the whole machine; stats/
 * @PER_NODE: a counter of nodes; stats/ and node<N>/
 * @PER_NODE_BYTES: the same, from a number of pages
 * @PER_NODE_STATE: how something stands on a node, which has no sum; node<N>/
 */
enum counter_kind {
	PER_CPU,
	PER_NODE,
	PER_NODE_BYTES,
	PER_NODE_STATE,
};

/**
 * struct counter_file - a file
 * @attr: the file
 * @kind: where its value comes from
 * @counter: PER_CPU: the counter
 * @stat: else: the counter of nodes
 */
struct counter_file {
	struct kobj_attribute attr;
	enum counter_kind kind;
	const struct pghot_counter *counter;
	enum pghot_node_stat stat;
};

static struct counter_file *files;
static size_t nr_files;
static struct attribute **attributes;	/* of all files, and then NULL */

static DEFINE_MUTEX(dirs_lock);		/* of the directories */
static struct kobject *home;		/* where they are, NULL while they are not shown */
static struct kobject *sums;
static struct kobject **node_dirs;	/* by node id, NULL where there is none */

/* Of one node, or of all for NUMA_NO_NODE. */
static u64 value(const struct counter_file *file, int nid)
{
	u64 nr;

	if (file->kind == PER_CPU)
		return pghot_counter_sum(file->counter);
	nr = nid == NUMA_NO_NODE ? pghot_nodestat_sum(file->stat) :
				   pghot_nodestat_get(nid, file->stat);
	return file->kind == PER_NODE_BYTES ? nr << PAGE_SHIFT : nr;
}

/* The node that a directory is about, by its name; NUMA_NO_NODE for the sums. */
static int dir_node(const struct kobject *kobj)
{
	int nid;

	return sscanf(kobject_name(kobj), "node%d", &nid) == 1 ? nid : NUMA_NO_NODE;
}

static ssize_t file_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct counter_file *file = container_of(attr, struct counter_file, attr);

	return sysfs_emit(buf, "%llu\n", value(file, dir_node(kobj)));
}

static umode_t file_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	bool of_node = dir_node(kobj) != NUMA_NO_NODE;

	return files[index].kind == (of_node ? PER_CPU : PER_NODE_STATE) ? 0 : attr->mode;
}

static struct attribute_group group = { .is_visible = file_visible };

static void file_make(const char *name, struct counter_file content)
{
	struct counter_file *file = &files[nr_files];

	*file = content;
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = name;
	file->attr.attr.mode = 0444;
	file->attr.show = file_show;
	attributes[nr_files++] = &file->attr.attr;
}

static void node_files_make(enum pghot_node_stat stat)
{
	struct counter_file file = { .kind = PER_NODE, .stat = stat };

	if (stat == NODE_STAT_HOT_THRESHOLD_MS)
		file.kind = PER_NODE_STATE;
	file_make(pghot_nodestat_name(stat), file);
	if (stat == NODE_STAT_PROMOTED) {
		file.kind = PER_NODE_BYTES;
		file_make("promoted_bytes", file);
	}
}

static void files_free(void)
{
	kfree(node_dirs);
	kfree(attributes);
	kfree(files);
}

static int files_make(void)
{
	const struct pghot_counter *const *counter;
	enum pghot_node_stat stat;
	struct pghot_part *part;
	size_t nr = PGHOT_NR_NODE_STATS + 1;

	for_each_part(part)
		for_each_of(counter, part->counters)
			nr++;
	files = inject_alloc(NULL, kcalloc(nr, sizeof(*files), GFP_KERNEL));
	attributes = inject_alloc(NULL, kcalloc(nr + 1, sizeof(*attributes), GFP_KERNEL));
	node_dirs = inject_alloc(NULL, kcalloc(nr_node_ids, sizeof(*node_dirs), GFP_KERNEL));
	if (!files || !attributes || !node_dirs) {
		files_free();
		return -ENOMEM;
	}
	nr_files = 0;
	for_each_part(part)
		for_each_of(counter, part->counters)
			file_make((*counter)->name, (struct counter_file){
				  .kind = PER_CPU, .counter = *counter });
	for (stat = 0; stat < PGHOT_NR_NODE_STATS; stat++)
		node_files_make(stat);
	group.attrs = attributes;
	return 0;
}

static void dir_remove(struct kobject *dir)
{
	/* It is deleted first, because somebody else may hold the last reference for longer. */
	kobject_del(dir);
	kobject_put(dir);
}

static struct kobject *dir_make(const char *name)
{
	struct kobject *dir = inject_alloc(NULL, kobject_create_and_add(name, home));

	if (dir && inject_alloc(-ENOMEM, sysfs_create_group(dir, &group))) {
		dir_remove(dir);
		dir = NULL;
	}
	return dir;
}

/* Makes the directory of a node, unless it is there or no counters are shown. The lock is held. */
static int node_dir_make(int nid)
{
	char name[sizeof("node") + 10];

	if (!home || node_dirs[nid])
		return 0;
	snprintf(name, sizeof(name), "node%d", nid);
	node_dirs[nid] = dir_make(name);
	return node_dirs[nid] ? 0 : -ENOMEM;
}

static int dirs_make(struct kobject *parent)
{
	int nid, ret;

	home = parent;
	sums = dir_make("stats");
	ret = sums ? 0 : -ENOMEM;
	for_each_node_state(nid, N_MEMORY)
		ret = ret ?: node_dir_make(nid);
	return ret;
}

static void dirs_remove(void)
{
	int nid;

	for_each_node(nid)
		dir_remove(node_dirs[nid]);
	dir_remove(sums);
	sums = NULL;
	home = NULL;
}

/* The node may have got its first memory. If there is no memory for a directory, it gets none. */
static int memory_changed(struct notifier_block *block, unsigned long action, void *arg)
{
	const struct memory_notify *change = arg;

	if (action == MEM_ONLINE) {
		mutex_lock(&dirs_lock);
		node_dir_make(pfn_to_nid(change->start_pfn));
		mutex_unlock(&dirs_lock);
	}
	return NOTIFY_OK;
}

static struct notifier_block memory_notifier = {
	.notifier_call = memory_changed,
	.priority = DEFAULT_CALLBACK_PRI,
};

/**
 * pghot_counters_show() - make stats/ and, for every node with memory, node<N>/
 * @parent: where
 *
 * Process context, sleeps. A node that gets memory later gets its directory then.
 *
 * Return: 0 or -errno, with nothing left behind.
 */
int pghot_counters_show(struct kobject *parent)
{
	int ret = files_make();

	if (ret)
		return ret;
	/* This comes first, so that a node that gets memory from now on is not overlooked. */
	ret = register_memory_notifier(&memory_notifier);
	if (ret) {
		files_free();
		return ret;
	}
	mutex_lock(&dirs_lock);
	ret = dirs_make(parent);
	mutex_unlock(&dirs_lock);
	if (ret)
		pghot_counters_hide();
	return ret;
}

/**
 * pghot_counters_hide() - remove stats/ and node<N>/
 *
 * Process context, sleeps until nobody is inside one of the files.
 */
void pghot_counters_hide(void)
{
	unregister_memory_notifier(&memory_notifier);
	mutex_lock(&dirs_lock);
	dirs_remove();
	mutex_unlock(&dirs_lock);
	files_free();
}

/**
 * pghot_counters_print() - all sums, in the manner of /proc/vmstat
 * @seq: where to
 *
 * Process context, between pghot_counters_show() and pghot_counters_hide().
 */
void pghot_counters_print(struct seq_file *seq)
{
	size_t i;

	for (i = 0; i < nr_files; i++) {
		if (files[i].kind != PER_NODE_STATE)
			seq_printf(seq, "pghot_%s %llu\n", files[i].attr.attr.name,
				   value(&files[i], NUMA_NO_NODE));
	}
}
