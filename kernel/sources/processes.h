/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Going through all processes
 */
#ifndef PGHOT_SOURCES_PROCESSES_H
#define PGHOT_SOURCES_PROCESSES_H

#include <linux/types.h>

struct mm_struct;
struct task_struct;

/**
 * struct pghot_process - what is known of a process when it is found
 * @mm: its address space, with a reference of mmgrab()
 * @tgid: its id
 * @started: when it was started, by pghot_clock()
 * @bound: its memory policy keeps its memory where it is
 */
struct pghot_process {
	struct mm_struct *mm;
	pid_t tgid;
	u64 started;
	bool bound;
};

int pghot_processes_next(struct task_struct **at, struct pghot_process *found, unsigned int nr,
			 unsigned int *visited);

#endif /* PGHOT_SOURCES_PROCESSES_H */
