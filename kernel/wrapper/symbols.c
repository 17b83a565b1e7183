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
DEFINE_STATIC_CALL_NULL(pghot_next_demotion_node, next_demotion_node);
DEFINE_STATIC_CALL_NULL(pghot_zone_watermark_ok, zone_watermark_ok);
DEFINE_STATIC_CALL_NULL(pghot_wakeup_kswapd, wakeup_kswapd);
DEFINE_STATIC_CALL_NULL(pghot___mod_lruvec_state, __mod_lruvec_state);
DEFINE_STATIC_CALL_NULL(pghot___count_memcg_events, __count_memcg_events);
DEFINE_STATIC_CALL_NULL(pghot_task_sched_runtime, task_sched_runtime);
DEFINE_STATIC_CALL_NULL(pghot_idle_cpu, idle_cpu);
DEFINE_STATIC_CALL_NULL(pghot_folio_xchg_last_cpupid, folio_xchg_last_cpupid);
DEFINE_STATIC_CALL_NULL(pghot_walk_page_range, walk_page_range);
DEFINE_STATIC_CALL_NULL(pghot___pte_offset_map_lock, __pte_offset_map_lock);
DEFINE_STATIC_CALL_NULL(pghot_ptep_test_and_clear_young, ptep_test_and_clear_young);
DEFINE_STATIC_CALL_NULL(pghot_pmdp_test_and_clear_young, pmdp_test_and_clear_young);
DEFINE_STATIC_CALL_NULL(pghot___mmu_notifier_clear_young, __mmu_notifier_clear_young);
DEFINE_STATIC_CALL_NULL(pghot_flush_tlb_mm_range, flush_tlb_mm_range);
DEFINE_STATIC_CALL_NULL(pghot_vma_policy_mof, vma_policy_mof);
DEFINE_STATIC_CALL_NULL(pghot_mem_cgroup_iter, mem_cgroup_iter);
DEFINE_STATIC_CALL_NULL(pghot_try_to_inc_max_seq, try_to_inc_max_seq);

/* Without one that is optional pghot loads, and what needs it is off. */
#define FUNCTION(function, ...) {				\
	.name = #function,					\
	.key = &STATIC_CALL_KEY(pghot_##function),		\
	.tramp = STATIC_CALL_TRAMP_ADDR(pghot_##function),	\
	__VA_ARGS__						\
}

static const struct {
	const char *name;
	struct static_call_key *key;
	void *tramp;
	bool optional;
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
	FUNCTION(idle_cpu),
	FUNCTION(folio_xchg_last_cpupid),
	FUNCTION(next_demotion_node, .optional = true),
	FUNCTION(walk_page_range, .optional = true),
	FUNCTION(__pte_offset_map_lock, .optional = true),
	FUNCTION(ptep_test_and_clear_young, .optional = true),
	FUNCTION(pmdp_test_and_clear_young, .optional = true),
	FUNCTION(__mmu_notifier_clear_young, .optional = true),
	FUNCTION(flush_tlb_mm_range, .optional = true),
	FUNCTION(vma_policy_mof, .optional = true),
	FUNCTION(mem_cgroup_iter, .optional = true),
	FUNCTION(try_to_inc_max_seq, .optional = true),
};

int *pghot_numa_balancing_mode;
struct mem_cgroup **pghot_root_mem_cgroup;
unsigned int *pghot_numa_scan_period_max;
unsigned int *pghot_numa_scan_size;
bool *pghot_numa_demotion_enabled;
int *pghot_ftrace_enabled;
struct static_key_true *pghot_lru_gen_caps;
static struct kobject **mm_kobj_addr;

static const struct {
	const char *name;
	void **where;
	bool optional;
} variables[] = {
	{ "sysctl_numa_balancing_mode",	(void **)&pghot_numa_balancing_mode },
	{ "root_mem_cgroup",		(void **)&pghot_root_mem_cgroup },
	{ "mm_kobj",			(void **)&mm_kobj_addr },
	{ "ftrace_enabled",		(void **)&pghot_ftrace_enabled },
	{ "numa_demotion_enabled",	(void **)&pghot_numa_demotion_enabled, true },
	{ "lru_gen_caps",		(void **)&pghot_lru_gen_caps, true },
	{ "sysctl_numa_balancing_scan_period_max", (void **)&pghot_numa_scan_period_max, true },
	{ "sysctl_numa_balancing_scan_size", (void **)&pghot_numa_scan_size, true },
};

/*
 * Its address is found by a kprobe, and it is called like all the others. The kprobe is
 * never armed: nothing is to be hit, and one that came and went while ftrace is switched
 * off makes ftrace give up for good when it is on again.
 */
DEFINE_STATIC_CALL_NULL(lookup, kallsyms_lookup_name);

static int resolve_lookup(void)
{
	struct kprobe probe = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&probe);

	if (ret) {
		pr_err("pghot: cannot find kernel symbol %s (%d)\n", probe.symbol_name, ret);
		return ret;
	}
	__static_call_update(&STATIC_CALL_KEY(lookup), STATIC_CALL_TRAMP_ADDR(lookup), probe.addr);
	unregister_kprobe(&probe);
	return 0;
}

static void *resolve(const char *name, bool optional)
{
	void *addr = (void *)static_call(lookup)(name);

	if (!addr && optional)
		pr_info("pghot: this kernel has no symbol %s, which pghot can do without\n", name);
	else if (!addr)
		pr_err("pghot: this kernel has no symbol %s\n", name);
	return addr;
}

/**
 * symbols_resolve() - find everything that pghot needs of the kernel
 *
 * Process context, once, before anything else of this directory is used.
 *
 * Return: 0, or -ENOENT with the name of a missing symbol that pghot needs in the log.
 */
int symbols_resolve(void)
{
	int ret = resolve_lookup();
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(variables); i++) {
		*variables[i].where = resolve(variables[i].name, variables[i].optional);
		if (!*variables[i].where && !variables[i].optional)
			return -ENOENT;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		void *addr = resolve(functions[i].name, functions[i].optional);

		if (addr)
			__static_call_update(functions[i].key, functions[i].tramp, addr);
		else if (!functions[i].optional)
			return -ENOENT;
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
