// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: How much of the scanner each process gets
 *
 * The value is kept by process and not by address space, so that it outlives exec. Children get
 * their parent's value at fork. Only values other than the default take memory, and forks and
 * exits are watched only from the first such value on.
 */
#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/xarray.h>

#include <trace/events/sched.h>

#include "core/textfile.h"
#include "sources/accessed/accessed.h"
#include "wrapper/probe.h"

static DEFINE_XARRAY(scales);	/* by process id; what is not there is the default */

/* Runs before the child does. Without memory for an entry the child gets the default. */
static void forked(void *data, struct task_struct *parent, struct task_struct *child)
{
	void *scale = xa_load(&scales, parent->tgid);

	if (scale && thread_group_leader(child))
		xa_store(&scales, child->tgid, scale, GFP_NOWAIT | __GFP_NOWARN);
}

static bool process_gone(struct task_struct *task)
{
	return !atomic_read(&task->signal->live);
}

/* Each thread that exits runs this, while its process id is still its own. */
static EXIT_PROBE(exited)
{
	if (xa_load(&scales, task->tgid) && process_gone(task))
		xa_erase(&scales, task->tgid);
}

static struct probe probes[] = {
	PROBE(sched_process_fork, forked),
	PROBE(sched_process_exit, exited),
};

static DEFINE_MUTEX(watch_lock);
static bool watching;

static void unwatch(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		pghot_probe_stop(&probes[i]);
}

static int watch(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		int ret = pghot_probe_start(&probes[i]);

		if (ret) {
			pr_err("accessed_scale cannot be set: no news of %s (%d)\n",
			       probes[i].event, ret);
			unwatch();
			return ret;
		}
	}
	return 0;
}

static int watch_once(void)
{
	int ret = 0;

	mutex_lock(&watch_lock);
	if (!watching)
		ret = watch();
	watching = !ret;
	mutex_unlock(&watch_lock);
	return ret;
}

static int parse(const char *text, size_t len, int *nr, unsigned int *scale)
{
	char copy[32], *rest = copy, *word;
	int ret;

	if (len >= sizeof(copy) || memchr(text, '\0', len))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	word = strsep(&rest, " ");
	if (!rest)
		return -EINVAL;
	ret = kstrtoint(word, 10, nr) ?: kstrtouint(rest, 10, scale);
	if (!ret && *scale > SCAN_SCALE_MAX)
		ret = -ERANGE;
	return ret;
}

static int store(struct task_struct *task, unsigned int scale)
{
	int ret = 0;

	if (scale == SCAN_SCALE_DEFAULT)
		xa_erase(&scales, task->tgid);
	else
		ret = xa_err(xa_store(&scales, task->tgid, xa_mk_value(scale), GFP_KERNEL));
	/*
	 * If the process exits meanwhile, either exited() finds the entry, or process_gone() below
	 * says so.
	 */
	smp_mb();
	if (process_gone(task))
		xa_erase(&scales, task->tgid);
	return ret;
}

/**
 * pghot_accessed_scale_of() - how much of the scanner a process gets
 * @tgid: its id
 *
 * Any context.
 *
 * Return: 0, it is not scanned, to SCAN_SCALE_MAX.
 */
unsigned int pghot_accessed_scale_of(pid_t tgid)
{
	void *scale = xa_load(&scales, tgid);

	return scale ? xa_to_value(scale) : SCAN_SCALE_DEFAULT;
}

/*
 * accessed_scale_set() - say how much of the scanner a process gets
 * @text: "PID SCALE", and nothing else but a newline; the id as the writer sees it
 * @len: length of @text
 *
 * Process context, sleeps.
 *
 * Return: 0; -EPERM without CAP_SYS_NICE; -EINVAL or -ERANGE for a wrong @text, -ESRCH if
 * there is no such process; -ENOENT or -ENOMEM. On any error nothing has changed.
 */
static int accessed_scale_set(const char *text, size_t len)
{
	struct task_struct *task;
	unsigned int scale;
	int nr, ret;

	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	ret = parse(text, len, &nr, &scale) ?: watch_once();
	if (ret)
		return ret;
	rcu_read_lock();
	task = pid_task(find_vpid(nr), PIDTYPE_TGID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;
	ret = store(task, scale);
	put_task_struct(task);
	return ret;
}

/*
 * accessed_scale_show() - processes that do not get the default
 * @buf: of a file in sysfs
 *
 * Process context.
 *
 * Return: bytes; lines "PID SCALE", as many as there is room for.
 */
static ssize_t accessed_scale_show(char *buf)
{
	unsigned long tgid;
	ssize_t len = 0;
	void *scale;

	xa_for_each(&scales, tgid, scale)
		len += sysfs_emit_at(buf, len, "%lu %lu\n", tgid, xa_to_value(scale));
	return textfile_whole_lines(buf, len);
}

const struct textfile pghot_accessed_scale_file = {
	.name = "accessed_scale",
	.mode = 0644,
	.show = accessed_scale_show,
	.set = accessed_scale_set,
};

/**
 * pghot_accessed_scale_exit() - forget what was set
 *
 * Process context, sleeps. Nobody sets any more, and the scanner is off.
 */
void pghot_accessed_scale_exit(void)
{
	unwatch();
	watching = false;
	xa_destroy(&scales);
}
