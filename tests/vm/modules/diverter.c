// SPDX-License-Identifier: GPL-2.0
/*
 * Holds the diversion that pghot needs, as a live patch would.
 */
#include <linux/ftrace.h>
#include <linux/module.h>

static void notrace pass(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
}

static struct ftrace_ops ops = {
	.func = pass,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION,
};

static int __init diverter_init(void)
{
	char name[] = "should_numa_migrate_memory";
	int ret = ftrace_set_filter(&ops, name, strlen(name), 0);

	if (!ret)
		ret = register_ftrace_function(&ops);
	if (ret)
		ftrace_free_filter(&ops);
	return ret;
}

static void __exit diverter_exit(void)
{
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}

module_init(diverter_init);
module_exit(diverter_exit);
MODULE_DESCRIPTION("pghot test: takes the diversion");
MODULE_LICENSE("GPL");
