// SPDX-License-Identifier: GPL-2.0
/*
 * The address spaces that there are: looked for among the processes, round by round, and
 * kept in the order in which they are to be scanned. One that a round does not find any
 * more is let go. Only the scanner's thread is here.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timerqueue.h>

#include "pghot.h"
#include "sources/accessed/accessed.h"

#define CREATE_TRACE_POINTS
#include "sources/accessed/trace.h"

/* Age of a process at its first scan, ms: most do not live that long. */
#define SCAN_DELAY	1000ull
/* Processes looked at before others may run. */
#define PIECE		64
/* How often a round begins again, as the process where it was to go on has gone. */
#define RESTARTS	3

/* What is known of a process when it is found. */
struct process {
	struct mm_struct *mm;
	pid_t tgid;
	u64 started;	/* by pghot_clock() */
	bool bound;
};

static DEFINE_HASHTABLE(mms, 12);
static struct timerqueue_head queue = { .rb_root = RB_ROOT_CACHED };
static struct process found[PIECE];
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
	timerqueue_del(&queue, &m->next);
	mmdrop(m->mm);
	kfree(m);
}

static struct accessed_mm *mms_add(const struct process *process)
{
	struct accessed_mm *m = kzalloc(struct_size(m, used, nr_node_ids), GFP_KERNEL);
	u64 age = div_u64(pghot_clock() - process->started, NSEC_PER_MSEC);

	if (!m)
		return NULL;
	mmgrab(process->mm);
	m->mm = process->mm;
	m->nid = NUMA_NO_NODE;
	m->watched = true;
	timerqueue_init(&m->next);
	m->next.expires = get_jiffies_64() + msecs_to_jiffies(SCAN_DELAY - min(age, SCAN_DELAY));
	timerqueue_add(&queue, &m->next);
	accessed_tune_init(&m->tune);
	hash_add(mms, &m->hash, (unsigned long)m->mm);
	trace_pghot_accessed_mm_enter(process->tgid);
	return m;
}

/*
 * Looks for the address space of a process, of any thread that still has it. Returns whether
 * there is one, with a reference that keeps it from being freed: the kernel's threads have none.
 */
static bool process_take(struct task_struct *leader, struct process *process)
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

/*
 * Looks at some processes after @*at, which it has a reference to, and goes on to the last of
 * them, or to init_task at the end. Returns how many were found, or -ESRCH if @*at has gone:
 * nobody knows which came after it. Counts what it looked at.
 */
static int next_processes(struct task_struct **at, unsigned int *visited)
{
	struct task_struct *task = *at;
	int nr = 0, i;

	rcu_read_lock();
	if (pid_alive(task)) {
		for (i = 0; i < PIECE; i++) {
			task = next_task(task);
			if (task == &init_task)
				break;
			nr += process_take(task, &found[nr]);
		}
		*visited += i;
	} else {
		task = &init_task;
		nr = -ESRCH;
	}
	get_task_struct(task);
	rcu_read_unlock();
	put_task_struct(*at);
	*at = task;
	return nr;
}

static void note(const struct process *process)
{
	struct accessed_mm *m = mms_lookup(process->mm) ?: mms_add(process);

	mmdrop(process->mm);
	/* Of several processes with one address space the first counts. */
	if (m && m->round != round) {
		m->round = round;
		m->tgid = process->tgid;
		m->bound = process->bound;
	}
}

/* Returns whether all processes were seen. */
static bool look_at_all(unsigned int *visited)
{
	struct task_struct *at = get_task_struct(&init_task);
	unsigned int restarts = 0;
	int nr, i;

	do {
		nr = next_processes(&at, visited);
		for (i = 0; i < nr; i++)
			note(&found[i]);
		if (nr < 0)
			restarts++;
		cond_resched();
	} while (at != &init_task || (nr < 0 && restarts <= RESTARTS));
	put_task_struct(at);
	return nr >= 0;
}

static void remove_others(void)
{
	struct accessed_mm *m;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(mms, bucket, next, m, hash) {
		if (m->round != round)
			mms_remove(m);
		cond_resched();
	}
}

/**
 * pghot_accessed_mms_find() - look which address spaces there are
 *
 * Process context, sleeps. Takes time in proportion to the number of processes, however many
 * threads they have. Without memory for a new one it is found another time; so are those that
 * are not reached, as processes end all the time, and then none is let go.
 */
void pghot_accessed_mms_find(void)
{
	unsigned int visited = 0;

	round++;
	if (look_at_all(&visited))
		remove_others();
	trace_pghot_accessed_find(visited);
}

/**
 * pghot_accessed_mms_first() - the address space that is to be scanned before all others
 *
 * Process context.
 *
 * Return: it, there until pghot_accessed_mms_find() or pghot_accessed_mms_free(); NULL if there
 * is none.
 */
struct accessed_mm *pghot_accessed_mms_first(void)
{
	struct timerqueue_node *first = timerqueue_getnext(&queue);

	return first ? container_of(first, struct accessed_mm, next) : NULL;
}

/**
 * pghot_accessed_mms_wait() - say when an address space is to be scanned
 * @m: it
 * @when: jiffies, of 64 bits
 *
 * Process context.
 */
void pghot_accessed_mms_wait(struct accessed_mm *m, u64 when)
{
	timerqueue_del(&queue, &m->next);
	m->next.expires = when;
	timerqueue_add(&queue, &m->next);
}

/**
 * pghot_accessed_mms_free() - let all address spaces go
 *
 * Process context, sleeps.
 */
void pghot_accessed_mms_free(void)
{
	struct accessed_mm *m;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(mms, bucket, next, m, hash)
		mms_remove(m);
}
