// SPDX-License-Identifier: GPL-2.0
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "../inject.h"
#include "divert.h"
#include "functions.h"

/**
 * divert_start() - divert a kernel function
 * @divert: with function and handler filled in
 *
 * Process context, sleeps. On success kernel.ftrace_enabled cannot be set to 0 until
 * divert_stop(): the diversion would end unnoticed.
 *
 * Return: 0; -EBUSY if another user diverts it or ftrace is switched off, -ENOENT if the
 * kernel has no such function that can be diverted, or what ftrace says. The log has the
 * reason.
 */
int divert_start(struct divert *divert)
{
	int ret;

	/* Made anew each time: ftrace_free_filter() leaves pointers to what it freed. */
	divert->ops = (struct ftrace_ops) {
		.func = divert->handler,
		.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
			 FTRACE_OPS_FL_RECURSION,
	};
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
