/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Taking over or watching a kernel function
 *
 * A function is taken over the way live patching does it: by ftrace with IPMODIFY. A function has
 * at most one such user. Its calls can also be watched only, by ftrace as well. Any number of
 * users may do that.
 */
#ifndef PGHOT_WRAPPER_DIVERT_H
#define PGHOT_WRAPPER_DIVERT_H

#include <linux/ftrace.h>

/**
 * struct divert - one kernel function, to be diverted or watched
 * @function: name of the function, which has its line with its type in symbols.c
 * @handler: called on entry to the function, notrace, any context. It returns
 *	for the function to run, or calls divert_to() for another to run instead
 * @may_pause: kernel.ftrace_enabled may be set to 0 meanwhile; then nobody calls the handler
 * @on: between start and stop
 * @stuck: ftrace did not give the function back: the handler is called until a reboot
 * @ops: for ftrace, made by pghot_divert_start() or pghot_watch_start()
 */
struct divert {
	char *function;
	ftrace_func_t handler;
	bool may_pause;
	bool on;
	bool stuck;
	struct ftrace_ops ops;
};

/**
 * divert_is_on() - is the handler called between start and stop?
 * @ops: of the call
 *
 * For handlers: if ftrace does not give a function back, they are still called after stop.
 */
#define divert_is_on(ops)	READ_ONCE(container_of(ops, struct divert, ops)->on)

/** divert_arg() - argument @n, from 0, of the call; for handlers */
#define divert_arg(fregs, n)	ftrace_regs_get_argument(fregs, n)

/** divert_to() - run @function, of the same type, instead; for handlers */
#define divert_to(fregs, function) \
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)(function))

int pghot_divert_start(struct divert *divert);
void pghot_divert_stop(struct divert *divert);
int pghot_watch_start(struct divert *watch);
void pghot_watch_stop(struct divert *watch);

#endif /* PGHOT_WRAPPER_DIVERT_H */
