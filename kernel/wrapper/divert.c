// SPDX-License-Identifier: GPL-2.0
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "../inject.h"
#include "divert.h"
#include "functions.h"
#include "symbols.h"

/*
 * Made anew each time: ftrace_free_filter() leaves pointers to what it freed. PERMANENT,
 * or kernel.ftrace_enabled=0 would end it and nobody be told.
 */
static void make_ops(struct divert *divert, unsigned long flags)
{
	divert->ops = (struct ftrace_ops) {
		.func = divert->handler,
		.flags = flags | FTRACE_OPS_FL_PERMANENT,
	};
}

/**
 * divert_start() - divert a kernel function
 * @divert: with function and handler filled in
 *
 * Process context, sleeps. On success kernel.ftrace_enabled cannot be set to 0 until
 * divert_stop(): the diversion would end unnoticed.
 *
 * Return: 0; -EBUSY if another user diverts it or ftrace is switched off, -ENOENT if the
 * kernel has no such function that can be diverted, -ENOEXEC if that is of another type, or
 * what ftrace says. The log has the reason.
 */
int divert_start(struct divert *divert)
{
	int ret;

	if (!symbols_known(divert->function)) {
		pr_err("pghot: cannot divert %s, whose type is another\n", divert->function);
		return -ENOEXEC;
	}
	make_ops(divert, FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION);
	ret = inject_alloc(-ENOMEM, ftrace_set_filter(&divert->ops, divert->function,
						      strlen(divert->function), 0));
	if (ret == -EINVAL) {
		pr_err("pghot: this kernel has no function %s to divert\n", divert->function);
		return -ENOENT;
	}
	ret = ret ?: inject_alloc(-ENOMEM, register_ftrace_function(&divert->ops));
	if (ret) {
		if (ret == -EBUSY && !READ_ONCE(*pghot_ftrace_enabled))
			pr_err("pghot: cannot divert %s while kernel.ftrace_enabled is 0\n",
			       divert->function);
		else if (ret == -EBUSY)
			pr_err("pghot: %s is diverted already, by a live patch or another module\n",
			       divert->function);
		else
			pr_err("pghot: cannot divert %s (%d)\n", divert->function, ret);
		ftrace_free_filter(&divert->ops);
	}
	return ret;
}

/**
 * divert_stop() - give a diverted function back
 * @divert: passed to divert_start() with success
 *
 * Process context, sleeps. On return nobody is inside the handler, nor inside the
 * function that it diverts to, provided that one runs with preemption disabled.
 */
void divert_stop(struct divert *divert)
{
	int ret = unregister_ftrace_function(&divert->ops);

	if (ret)
		pr_err("pghot: cannot give %s back (%d)\n", divert->function, ret);
	ftrace_free_filter(&divert->ops);
	synchronize_rcu();
}

/**
 * watch_start() - have a handler see each call of a kernel function
 * @watch: with function and handler filled in; the handler lets the function run, calls
 *	nothing that calls it, and may be preempted
 *
 * Process context, sleeps. Others may watch or divert the function, too. On success
 * kernel.ftrace_enabled cannot be set to 0 until watch_stop().
 *
 * Return: 0; -ENOENT if the kernel has no such function that can be watched, -ENOEXEC if it is
 * of another type, which the log said at load, -EBUSY if ftrace is switched off, or what ftrace
 * says.
 */
int watch_start(struct divert *watch)
{
	int ret;

	if (!symbols_known(watch->function))
		return -ENOEXEC;
	make_ops(watch, 0);
	ret = ftrace_set_filter(&watch->ops, watch->function, strlen(watch->function), 0);
	if (ret)
		return ret == -EINVAL ? -ENOENT : ret;
	ret = register_ftrace_function(&watch->ops);
	if (ret)
		ftrace_free_filter(&watch->ops);
	return ret;
}

/**
 * watch_stop() - stop watching a function
 * @watch: passed to watch_start() with success
 *
 * Process context, sleeps. On return nobody is inside the handler.
 */
void watch_stop(struct divert *watch)
{
	unregister_ftrace_function(&watch->ops);
	ftrace_free_filter(&watch->ops);
}
