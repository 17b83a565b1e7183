// SPDX-License-Identifier: GPL-2.0
/*
 * Makes one mistake when it is loaded, for the debug kernel to find.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *kind = "";
module_param(kind, charp, 0);
MODULE_PARM_DESC(kind, "uaf, sleep, order or leak");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);

static void lock_both(struct mutex *one, struct mutex *other)
{
	mutex_lock(one);
	mutex_lock(other);
	mutex_unlock(other);
	mutex_unlock(one);
}

static int __init mistake_init(void)
{
	char *memory = kzalloc(64, GFP_KERNEL);

	if (!memory)
		return -ENOMEM;
	if (!strcmp(kind, "leak"))
		return 0;
	kfree(memory);

	if (!strcmp(kind, "uaf")) {
		pr_info("mistake: %d\n", READ_ONCE(memory[8]));
	} else if (!strcmp(kind, "sleep")) {
		spin_lock(&spin);
		msleep(20);
		spin_unlock(&spin);
	} else if (!strcmp(kind, "order")) {
		lock_both(&first, &second);
		lock_both(&second, &first);
	}
	return 0;
}

static void __exit mistake_exit(void)
{
}

module_init(mistake_init);
module_exit(mistake_exit);
MODULE_DESCRIPTION("pghot test: makes a mistake");
MODULE_LICENSE("GPL");
