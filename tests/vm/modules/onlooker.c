// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for a virtual machine's monitor: maps what a process maps, and says of all of
 * it, whenever it is asked, that its guest has accessed it.
 */
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

static int pid;
module_param(pid, int, 0);
MODULE_PARM_DESC(pid, "Process id");

static const struct mmu_notifier_ops ops;

/* What it says is an int, or a bool since 7.1. */
static typeof(ops.clear_young(NULL, NULL, 0, 0)) clear_young(struct mmu_notifier *mn,
							     struct mm_struct *mm,
							     unsigned long start,
							     unsigned long end)
{
	return 1;
}

static const struct mmu_notifier_ops ops = {
	.clear_young = clear_young,
};

static struct mmu_notifier notifier = {
	.ops = &ops,
};

static int __init onlooker_init(void)
{
	struct task_struct *task;
	struct mm_struct *mm;
	int ret;

	rcu_read_lock();
	task = get_pid_task(find_vpid(pid), PIDTYPE_TGID);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return -ESRCH;
	ret = mmu_notifier_register(&notifier, mm);
	mmput(mm);
	return ret;
}

static void __exit onlooker_exit(void)
{
	mmu_notifier_unregister(&notifier, notifier.mm);
}

module_init(onlooker_init);
module_exit(onlooker_exit);
MODULE_DESCRIPTION("pghot test: a second user of a process's memory");
MODULE_LICENSE("GPL");
