/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Probes on tracepoints
 */
#ifndef PGHOT_MM_PROBE_H
#define PGHOT_MM_PROBE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/tracepoint.h>

/**
 * struct probe - one probe, made by PROBE()
 * @event: name of the tracepoint
 * @function: what it calls
 * @point: the tracepoint
 * @on: it is in place
 */
struct probe {
	const char *event;
	void *function;
	struct tracepoint *point;
	bool on;
};

/* PROBE() - define a probe. The compiler checks its type by the tracepoint's header. */
#define PROBE(name, probe) {							\
	.event = #name,								\
	.function = (void *)(probe) +						\
		    BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##name, \
						   void (typeof(probe) *))),	\
	.point = &__tracepoint_##name,						\
}

/* EXIT_PROBE() - begin to define what sched_process_exit calls, with the argument @task */
#define EXIT_PROBE(probe)	\
	void probe(void *data, struct task_struct *task, bool group_dead)

int pghot_probe_start(struct probe *probe);
void pghot_probe_stop(struct probe *probe);

#endif /* PGHOT_MM_PROBE_H */
