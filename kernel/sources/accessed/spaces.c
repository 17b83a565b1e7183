// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The address spaces that are scanned
 *
 * They are looked for among the processes, round by round, and kept in the order in which they are
 * to be scanned. An address space that a round does not find any more is let go. Only the
 * scanner's thread runs the code of this file.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timerqueue.h>

#include "pghot.h"
#include "sources/accessed/accessed.h"
#include "sources/processes.h"

#define CREATE_TRACE_POINTS
#include "sources/accessed/trace.h"

/* Age of a process at its first scan, ms: most do not live that long. */
#define SCAN_DELAY	1000ull
/* Processes looked at before others may run. */
#define PIECE		64u
/* How often a round begins again, as the process where it was to go on has gone. */
#define RESTARTS	3

static DEFINE_HASHTABLE(mms, 12);
static struct timerqueue_head queue = { .rb_root = RB_ROOT_CACHED };
static struct pghot_process found[PIECE];
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

static struct accessed_mm *mms_add(const struct pghot_process *process)
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

static void note(const struct pghot_process *process)
{
	struct accessed_mm *m = mms_lookup(process->mm) ?: mms_add(process);

	mmdrop(process->mm);
	/* If several processes share the address space, the first one counts. */
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
		nr = pghot_processes_next(&at, found, PIECE, visited);
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
