// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Parameters that say what is to fail
 *
 * Each kind of failure has a counter, which is a parameter of the module. It says how many of the
 * next steps of this kind are to fail, or which one.
 */
#include <linux/atomic.h>
#include <linux/moduleparam.h>

#include "testing/inject.h"

static atomic_t left[INJECT_NR];

module_param_named(inject_alloc, left[INJECT_ALLOC].counter, int, 0644);
MODULE_PARM_DESC(inject_alloc, "Fail just this allocation, counted from 1. (0: none)");
module_param_named(inject_block, left[INJECT_BLOCK].counter, int, 0644);
MODULE_PARM_DESC(inject_block, "Fail so many of the next blocks of memory for records. (0)");
module_param_named(inject_isolate, left[INJECT_ISOLATE].counter, int, 0644);
MODULE_PARM_DESC(inject_isolate, "Fail so many of the next isolations. (0)");
module_param_named(inject_migrate, left[INJECT_MIGRATE].counter, int, 0644);
MODULE_PARM_DESC(inject_migrate, "Fail so many of the next allocations for migration. (0)");
module_param_named(inject_uncharged, left[INJECT_UNCHARGED].counter, int, 0644);
MODULE_PARM_DESC(inject_uncharged, "Take so many of the next folios for charged to no cgroup. (0)");
module_param_named(inject_unhook, left[INJECT_UNHOOK].counter, int, 0644);
MODULE_PARM_DESC(inject_unhook, "Fail to give back so many of the next functions. (0)");

/**
 * pghot_inject() - is this to fail?
 * @point: what is about to be done
 *
 * Any context.
 */
bool pghot_inject(enum inject_point point)
{
	if (point == INJECT_ALLOC)
		return !atomic_dec_return(&left[point]);
	return atomic_dec_if_positive(&left[point]) >= 0;
}
