// SPDX-License-Identifier: GPL-2.0
#include <linux/kallsyms.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>

#include "functions.h"
#include "symbols.h"

DEFINE_STATIC_CALL_NULL(pghot_migrate_pages, migrate_pages);
DEFINE_STATIC_CALL_NULL(pghot_putback_movable_pages, putback_movable_pages);
DEFINE_STATIC_CALL_NULL(pghot_folio_isolate_lru, folio_isolate_lru);
DEFINE_STATIC_CALL_NULL(pghot_node_is_toptier, node_is_toptier);
DEFINE_STATIC_CALL_NULL(pghot_zone_watermark_ok, zone_watermark_ok);
DEFINE_STATIC_CALL_NULL(pghot_wakeup_kswapd, wakeup_kswapd);
DEFINE_STATIC_CALL_NULL(pghot___mod_lruvec_state, __mod_lruvec_state);
DEFINE_STATIC_CALL_NULL(pghot___count_memcg_events, __count_memcg_events);
DEFINE_STATIC_CALL_NULL(pghot_task_sched_runtime, task_sched_runtime);
DEFINE_STATIC_CALL_NULL(pghot_folio_xchg_last_cpupid, folio_xchg_last_cpupid);

#define FUNCTION(function) {					\
	.name = #function,					\
	.key = &STATIC_CALL_KEY(pghot_##function),		\
	.tramp = STATIC_CALL_TRAMP_ADDR(pghot_##function),	\
}

/* All of them are needed. */
static const struct {
	const char *name;
	struct static_call_key *key;
	void *tramp;
} functions[] = {
	FUNCTION(migrate_pages),
	FUNCTION(putback_movable_pages),
	FUNCTION(folio_isolate_lru),
	FUNCTION(node_is_toptier),
	FUNCTION(zone_watermark_ok),
	FUNCTION(wakeup_kswapd),
	FUNCTION(__mod_lruvec_state),
	FUNCTION(__count_memcg_events),
	FUNCTION(task_sched_runtime),
	FUNCTION(folio_xchg_last_cpupid),
};

int *pghot_numa_balancing_mode;
static struct kobject **mm_kobj_addr;

static const struct {
	const char *name;
	void **where;
} variables[] = {
	{ "sysctl_numa_balancing_mode",	(void **)&pghot_numa_balancing_mode },
	{ "mm_kobj",			(void **)&mm_kobj_addr },
};

/* Its address is found by a kprobe, and it is called like all the others. */
DEFINE_STATIC_CALL_NULL(lookup, kallsyms_lookup_name);

static int resolve_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int ret = register_kprobe(&probe);

	if (ret) {
		pr_err("pghot: cannot find kernel symbol %s (%d)\n", probe.symbol_name, ret);
		return ret;
	}
	__static_call_update(&STATIC_CALL_KEY(lookup), STATIC_CALL_TRAMP_ADDR(lookup), probe.addr);
	unregister_kprobe(&probe);
	return 0;
}

static void *resolve(const char *name)
{
	void *addr = (void *)static_call(lookup)(name);

	if (!addr)
		pr_err("pghot: this kernel has no symbol %s\n", name);
	return addr;
}

/**
 * symbols_resolve() - find everything that pghot needs of the kernel
 *
 * Process context, once, before anything else of this directory is used.
 *
 * Return: 0, or -ENOENT with the name of the missing symbol in the log.
 */
int symbols_resolve(void)
{
	int ret = resolve_lookup();
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(variables); i++) {
		*variables[i].where = resolve(variables[i].name);
		if (!*variables[i].where)
			return -ENOENT;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		void *addr = resolve(functions[i].name);

		if (!addr)
			return -ENOENT;
		__static_call_update(functions[i].key, functions[i].tramp, addr);
	}
	return 0;
}

/**
 * symbols_mm_kobj() - /sys/kernel/mm
 *
 * Process context.
 */
struct kobject *symbols_mm_kobj(void)
{
	return *mm_kobj_addr;
}
