/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Probes on tracepoints that the kernel does not export
 */
#ifndef PGHOT_WRAPPER_PROBE_H
#define PGHOT_WRAPPER_PROBE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/tracepoint.h>

/**
 * struct probe - one probe, made by PROBE()
 * @event: name of the tracepoint
 * @function: what it calls
 * @point: the tracepoint, while it is in place
 */
struct probe {
	const char *event;
	void *function;
	struct tracepoint *point;
};

/*
 * PROBE() - define a probe. The compiler checks that its type is the one that the tracepoint calls,
 * by the tracepoint's header in trace/events/. The running kernel may have another type than the
 * headers of this build. So the tracepoint has its line in the table in symbols.c, too.
 */
#define PROBE(name, probe) {							\
	.event = #name,								\
	.function = (void *)(probe) +						\
		    BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##name, \
						   void (typeof(probe) *))),	\
}

/* EXIT_PROBE() - begin to define what sched_process_exit calls, with the argument @task */
#ifdef PGHOT_HAS_EXIT_OF_GROUP
#define EXIT_PROBE(probe)	\
	void probe(void *data, struct task_struct *task, bool group_dead)
#else
#define EXIT_PROBE(probe)	void probe(void *data, struct task_struct *task)
#endif

int pghot_probe_start(struct probe *probe);
void pghot_probe_stop(struct probe *probe);

#endif /* PGHOT_WRAPPER_PROBE_H */
