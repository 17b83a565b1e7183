// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Going through all processes, a few at a time
 */
#include <linux/errno.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "sources/processes.h"

/*
 * Looks for the address space of a process, of any thread that still has it. Returns whether
 * there is one, with a reference that keeps it from being freed: the kernel's threads have none.
 */
static bool process_take(struct task_struct *leader, struct pghot_process *process)
{
	struct mm_struct *mm = NULL;
	struct task_struct *thread;

	process->tgid = leader->tgid;
	process->started = leader->start_time;
	for_each_thread(leader, thread) {
		if (thread->flags & PF_KTHREAD)
			return false;
		task_lock(thread);
		mm = thread->mm;
		if (mm) {
			mmgrab(mm);
			process->mm = mm;
			process->bound = thread->mempolicy &&
					 !(thread->mempolicy->flags & MPOL_F_MOF);
		}
		task_unlock(thread);
		if (mm)
			break;
	}
	return mm;
}

/**
 * pghot_processes_next() - look at some processes
 * @at: the process after which to begin, referenced: init_task to begin with all of them. On
 *	return the last one that was looked at, referenced in its place: init_task after all
 * @found: where to leave those that have an address space, each with a reference to it
 * @nr: how many to look at, at most, and how many there is place for in @found
 * @visited: counts the processes that were looked at
 *
 * Process context. Takes time in proportion to @nr.
 *
 * Return: how many were found; -ESRCH if @at has gone, as nobody knows which came after it.
 */
int pghot_processes_next(struct task_struct **at, struct pghot_process *found, unsigned int nr,
			 unsigned int *visited)
{
	struct task_struct *task = *at;
	unsigned int i;
	int ret = 0;

	rcu_read_lock();
	/* When a thread executes a program, it takes the place of its leader, which may live on. */
	if (pid_alive(task) && thread_group_leader(task)) {
		for (i = 0; i < nr; i++) {
			task = next_task(task);
			if (task == &init_task)
				break;
			ret += process_take(task, &found[ret]);
		}
		*visited += i;
	} else {
		task = &init_task;
		ret = -ESRCH;
	}
	get_task_struct(task);
	rcu_read_unlock();
	put_task_struct(*at);
	*at = task;
	return ret;
}
