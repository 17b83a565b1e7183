// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Diverting and watching kernel functions by ftrace
 *
 * A function is handed to ftrace with a handler, and given back later. If ftrace fails to give it
 * back, the module has to stay, because the kernel goes on to call the handler.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "testing/inject.h"
#include "wrapper/divert.h"
#include "wrapper/functions.h"
#include "wrapper/symbols.h"

/*
 * The structure is made anew each time, because ftrace_free_filter() leaves pointers to what it
 * freed. FTRACE_OPS_FL_PERMANENT keeps kernel.ftrace_enabled from being set to 0, where the handler
 * must not end unnoticed.
 */
static void make_ops(struct divert *divert, unsigned long flags)
{
	divert->ops = (struct ftrace_ops) {
		.func = divert->handler,
		.flags = flags | (divert->may_pause ? 0 : FTRACE_OPS_FL_PERMANENT),
	};
}

/* Returns 0, with the function hooked, or -errno. */
static int hook(struct divert *divert, unsigned long flags)
{
	int ret;

	/* ftrace still uses this structure, so it cannot be made anew. */
	if (divert->stuck)
		return -ENOTRECOVERABLE;
	/* A handler takes arguments by their position, so the type has to be known. */
	if (!pghot_symbols_known(divert->function))
		return -ENOEXEC;
	make_ops(divert, flags);
	ret = inject_alloc(-ENOMEM, ftrace_set_filter(&divert->ops, divert->function,
						      strlen(divert->function), 0));
	if (ret == -EINVAL)
		ret = -ENOENT;
	WRITE_ONCE(divert->on, true);
	ret = ret ?: inject_alloc(-ENOMEM, register_ftrace_function(&divert->ops));
	if (ret) {
		WRITE_ONCE(divert->on, false);
		ftrace_free_filter(&divert->ops);
	}
	return ret;
}

/*
 * The kernel goes on to call the handler, so this module's code has to stay. While the module is
 * being loaded or unloaded, its code would be freed as soon as this returned. So it never returns
 * then.
 */
static void stay(void)
{
	if (THIS_MODULE->state == MODULE_STATE_LIVE && try_module_get(THIS_MODULE))
		return;
	for (;;) {
		set_current_state(TASK_IDLE | TASK_FREEZABLE);
		schedule();
	}
}

static void unhook(struct divert *divert)
{
	int ret;

	WRITE_ONCE(divert->on, false);
	ret = pghot_inject(INJECT_UNHOOK) ? -ENODEV : unregister_ftrace_function(&divert->ops);
	if (!ret) {
		ftrace_free_filter(&divert->ops);
		return;
	}
	divert->stuck = true;
	pr_err("cannot give %s back (%d): the module stays until a reboot\n",
	       divert->function, ret);
	stay();
}

/**
 * pghot_divert_start() - divert a kernel function
 * @divert: with function and handler filled in
 *
 * Process context, sleeps. On success kernel.ftrace_enabled cannot be set to 0 until
 * pghot_divert_stop(): the diversion would end unnoticed.
 *
 * Return: 0; -EBUSY if another user diverts it or ftrace is switched off, -ENOENT if the
 * kernel has no such function that can be diverted, -ENOEXEC if that is of another type,
 * -ENOTRECOVERABLE if it was not given back before, or what ftrace says. The log has the
 * reason.
 */
int pghot_divert_start(struct divert *divert)
{
	int ret;

	ret = hook(divert, FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION);
	if (ret == -ENOENT) {
		pr_err("this kernel has no function %s to divert\n", divert->function);
	} else if (ret == -ENOEXEC) {
		pr_err("cannot divert %s, whose type is another\n", divert->function);
	} else if (ret) {
		if (ret == -EBUSY && !READ_ONCE(*pghot_ftrace_enabled))
			pr_err("cannot divert %s while kernel.ftrace_enabled is 0\n",
			       divert->function);
		else if (ret == -EBUSY)
			pr_err("%s is diverted already, by a live patch or another module\n",
			       divert->function);
		else
			pr_err("cannot divert %s (%d)\n", divert->function, ret);
	}
	return ret;
}

/**
 * pghot_divert_stop() - give a diverted function back
 * @divert: passed to pghot_divert_start() with success
 *
 * Process context, sleeps. On return nobody is inside the handler, nor inside the
 * function that it diverts to, provided that one runs with preemption disabled. If ftrace
 * fails, the handler is still called and the module cannot be unloaded any more; while it
 * is being loaded or unloaded this does not return then.
 */
void pghot_divert_stop(struct divert *divert)
{
	unhook(divert);
	synchronize_rcu();
}

/**
 * pghot_watch_start() - have a handler see each call of a kernel function
 * @watch: with function and handler filled in; the handler lets the function run, calls
 *	nothing that calls it, and may be preempted
 *
 * Process context, sleeps. Others may watch or divert the function, too. On success
 * kernel.ftrace_enabled cannot be set to 0 until pghot_watch_stop(), unless @watch may pause.
 *
 * Return: 0; -ENOENT if the kernel has no such function that can be watched, -ENOEXEC if it
 * is of another type, which the log said at load, -EBUSY if ftrace is switched off and @watch
 * may not pause, -ENOTRECOVERABLE if the function was not given back before, or what ftrace
 * says.
 */
int pghot_watch_start(struct divert *watch)
{
	return hook(watch, 0);
}

/**
 * pghot_watch_stop() - stop watching a function
 * @watch: passed to pghot_watch_start() with success
 *
 * Process context, sleeps. On return nobody is inside the handler. If ftrace fails, as for
 * pghot_divert_stop().
 */
void pghot_watch_stop(struct divert *watch)
{
	unhook(watch);
}
