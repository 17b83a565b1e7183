// SPDX-License-Identifier: GPL-2.0
/*
 * The address spaces that there are: looked for among the processes, round by round.
 * One that a round does not find any more is let go. Only the scanner's thread is here.
 */
#include <linux/hashtable.h>
#include <linux/math64.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../pghot.h"
#include "../trace.h"
#include "accessed.h"

/* Age of a process at its first scan, ms: most do not live that long. */
#define SCAN_DELAY	1000ull

/* What is known of a process when it is found. */
struct process {
	pid_t tgid;
	u64 started;	/* by pghot_clock() */
	bool bound;
};

static DEFINE_HASHTABLE(mms, 10);
static unsigned int round;

static struct accessed_mm *mms_lookup(const struct mm_struct *mm)
{
	struct accessed_mm *m;

	hash_for_each_possible(mms, m, hash, (unsigned long)mm) {
		if (m->mm == mm)
			return m;
	}
	return NULL;
}

static void mms_remove(struct accessed_mm *m)
{
	trace_pghot_accessed_mm_exit(m->tgid);
	hash_del(&m->hash);
	mmdrop(m->mm);
	kfree(m);
}

static struct accessed_mm *mms_add(struct mm_struct *mm, const struct process *process)
{
	struct accessed_mm *m = kzalloc(struct_size(m, used, nr_node_ids), GFP_KERNEL);
	u64 age = div_u64(pghot_clock() - process->started, NSEC_PER_MSEC);

	if (!m)
		return NULL;
	mmgrab(mm);
	m->mm = mm;
	m->nid = NUMA_NO_NODE;
	m->watched = true;
	m->next = jiffies + msecs_to_jiffies(SCAN_DELAY - min(age, SCAN_DELAY));
	accessed_tune_init(&m->tune);
	hash_add(mms, &m->hash, (unsigned long)mm);
	trace_pghot_accessed_mm_enter(process->tgid);
	return m;
}

/* The address space of a process, of any thread that still has it; NULL for the kernel's. */
static struct mm_struct *process_mm(struct task_struct *leader, struct process *process)
{
	struct mm_struct *mm = NULL;
	struct task_struct *thread;

	process->tgid = leader->tgid;
	process->started = leader->start_time;
	for_each_thread(leader, thread) {
		if (thread->flags & PF_KTHREAD)
			return NULL;
		task_lock(thread);
		mm = thread->mm;
		if (mm) {
			mmgrab(mm);
			process->bound = thread->mempolicy &&
					 !(thread->mempolicy->flags & MPOL_F_MOF);
		}
		task_unlock(thread);
		if (mm)
			break;
	}
	return mm;
}

/* The next process, counted from @nr, which is its number then, or 0 if there is none. */
static struct mm_struct *next_mm(int *nr, struct process *process)
{
	struct mm_struct *mm = NULL;
	struct task_struct *leader;
	struct pid *pid;

	rcu_read_lock();
	pid = find_ge_pid(*nr, &init_pid_ns);
	*nr = pid ? pid_nr(pid) : 0;
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader)
		mm = process_mm(leader, process);
	rcu_read_unlock();
	return mm;
}

/**
 * accessed_mms_find() - look which address spaces there are
 *
 * Process context, sleeps. Without memory for a new one it is found another time.
 */
void accessed_mms_find(void)
{
	struct accessed_mm *m;
	struct hlist_node *next;
	struct process process;
	struct mm_struct *mm;
	int nr, bucket;

	round++;
	for (nr = 1; (mm = next_mm(&nr, &process)), nr; nr++) {
		cond_resched();
		if (!mm)
			continue;
		m = mms_lookup(mm) ?: mms_add(mm, &process);
		mmdrop(mm);
		/* Of several processes with one address space the first counts. */
		if (m && m->round != round) {
			m->round = round;
			m->tgid = process.tgid;
			m->bound = process.bound;
		}
	}
	hash_for_each_safe(mms, bucket, next, m, hash) {
		if (m->round != round)
			mms_remove(m);
	}
}

/**
 * accessed_mms_first() - the address space that is to be scanned before all others
 *
 * Process context.
 *
 * Return: it, there until accessed_mms_find() or accessed_mms_free(); NULL if there is none.
 */
struct accessed_mm *accessed_mms_first(void)
{
	struct accessed_mm *m, *first = NULL;
	int bucket;

	hash_for_each(mms, bucket, m, hash) {
		if (!first || time_before(m->next, first->next))
			first = m;
	}
	return first;
}

/**
 * accessed_mms_free() - let all address spaces go
 *
 * Process context, sleeps.
 */
void accessed_mms_free(void)
{
	struct accessed_mm *m;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(mms, bucket, next, m, hash)
		mms_remove(m);
}
