// SPDX-License-Identifier: GPL-2.0
/*
 * A live patch of the function that pghot diverts for hint faults. With it nothing is promoted in
 * such a fault.
 */
#include <linux/build_bug.h>
#include <linux/livepatch.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/numa_balancing.h>

static bool promote_nothing(struct task_struct *task, struct folio *folio, int src_nid, int dst_cpu)
{
	return false;
}

static_assert(__same_type(promote_nothing, should_numa_migrate_memory));

static struct klp_func functions[] = {
	{ .old_name = "should_numa_migrate_memory", .new_func = promote_nothing },
	{ }
};

/* Without a name it is the kernel itself. */
static struct klp_object objects[] = {
	{ .funcs = functions },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init patcher_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit patcher_exit(void)
{
}

module_init(patcher_init);
module_exit(patcher_exit);
MODULE_DESCRIPTION("pghot test: a live patch that is in the way");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
