// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The table of all names that are resolved
 *
 * Each function, variable, tracepoint and structure that pghot uses and that the kernel does not
 * export has its line here, with the type that pghot expects. When the module is loaded, all of
 * them are found by name, and their types are compared with those of the running kernel.
 */
#include <linux/btf.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/kallsyms.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/sched/numa_balancing.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "wrapper/aginghook.h"
#include "wrapper/cpuset.h"
#include "wrapper/functions.h"
#include "wrapper/migration_target.h"
#include "wrapper/symbols.h"
#include "wrapper/types.h"

DEFINE_STATIC_CALL_NULL(pghot_migrate_pages, migrate_pages);
DEFINE_STATIC_CALL_NULL(pghot_putback_movable_pages, putback_movable_pages);
DEFINE_STATIC_CALL_NULL(pghot_folio_isolate_lru, folio_isolate_lru);
DEFINE_STATIC_CALL_NULL(pghot_split_huge_page_to_list_to_order, SPLIT_HUGE_PAGE);
DEFINE_STATIC_CALL_NULL(pghot_node_is_toptier, node_is_toptier);
DEFINE_STATIC_CALL_NULL(pghot_next_demotion_node, next_demotion_node);
DEFINE_STATIC_CALL_NULL(pghot_node_get_allowed_targets, node_get_allowed_targets);
DEFINE_STATIC_CALL_NULL(pghot_zone_watermark_ok, zone_watermark_ok);
DEFINE_STATIC_CALL_NULL(pghot_wakeup_kswapd, wakeup_kswapd);
DEFINE_STATIC_CALL_NULL(pghot_mod_lruvec_state, MOD_LRUVEC_STATE);
DEFINE_STATIC_CALL_NULL(pghot_count_memcg_events, COUNT_MEMCG_EVENTS);
DEFINE_STATIC_CALL_NULL(pghot_task_sched_runtime, task_sched_runtime);
DEFINE_STATIC_CALL_NULL(pghot_idle_cpu, idle_cpu);
DEFINE_STATIC_CALL_NULL(pghot_folio_xchg_last_cpupid, folio_xchg_last_cpupid);
DEFINE_STATIC_CALL_NULL(pghot_walk_page_range, walk_page_range);
DEFINE_STATIC_CALL_NULL(pghot_pte_offset_map_lock, PTE_OFFSET_MAP_LOCK);
DEFINE_STATIC_CALL_NULL(pghot___mmu_notifier_clear_young, __mmu_notifier_clear_young);
#ifdef CONFIG_X86
DEFINE_STATIC_CALL_NULL(pghot_ptep_test_and_clear_young, ptep_test_and_clear_young);
DEFINE_STATIC_CALL_NULL(pghot_pmdp_test_and_clear_young, pmdp_test_and_clear_young);
DEFINE_STATIC_CALL_NULL(pghot_flush_tlb_mm_range, flush_tlb_mm_range);
#else
/* The three above are inline, and not found by name: inlined.c has functions of them. */
DEFINE_STATIC_CALL_NULL(pghot___mmu_notifier_arch_invalidate_secondary_tlbs,
			__mmu_notifier_arch_invalidate_secondary_tlbs);
#endif
DEFINE_STATIC_CALL_NULL(pghot_vma_policy_mof, vma_policy_mof);
DEFINE_STATIC_CALL_NULL(pghot_rmap_walk, rmap_walk);
DEFINE_STATIC_CALL_NULL(pghot_folio_lock_anon_vma_read, folio_lock_anon_vma_read);
DEFINE_STATIC_CALL_NULL(pghot_page_vma_mapped_walk, page_vma_mapped_walk);
DEFINE_STATIC_CALL_NULL(pghot___get_vma_policy, __get_vma_policy);
DEFINE_STATIC_CALL_NULL(pghot_mpol_shared_policy_lookup, mpol_shared_policy_lookup);
DEFINE_STATIC_CALL_NULL(pghot___mpol_put, __mpol_put);
DEFINE_STATIC_CALL_NULL(pghot_mem_cgroup_iter, mem_cgroup_iter);
DEFINE_STATIC_CALL_NULL(pghot_try_to_inc_max_seq, try_to_inc_max_seq);

/*
 * Everything that is found by its name, with the type that pghot expects. The compiler compares
 * this type with the declaration, and pghot_types_check() compares it with the running kernel. If
 * something is missing that is optional, pghot loads, and what needs it is off.
 *
 * A type is written as the kernel declares it, with a space between a function's result and its
 * arguments, and without names of arguments.
 */
#define TYPE(function, result, arguments)			\
	.name = #function,					\
	.described = #function,					\
	.kind = BTF_KIND_FUNC,					\
	.type = #result " " #arguments +			\
		BUILD_BUG_ON_ZERO(!__same_type(function, result arguments))

/* The same for a function whose name is a macro of functions.h. */
#define RENAMED(...)	TYPE(__VA_ARGS__)

/* The same for a function that has one of two types: the declaration tells which. */
#define EITHER(function, result, arguments, result2, arguments2)			\
	.name = #function,								\
	.described = #function,								\
	.kind = BTF_KIND_FUNC,								\
	.type = (__same_type(function, result arguments) ? #result " " #arguments :	\
							   #result2 " " #arguments2) +	\
		BUILD_BUG_ON_ZERO(!__same_type(function, result arguments) &&		\
				  !__same_type(function, result2 arguments2))

/* The static call to a function. */
#define CALL(call)						\
	.key = &STATIC_CALL_KEY(pghot_##call),			\
	.tramp = STATIC_CALL_TRAMP_ADDR(pghot_##call)

/* A function that is called. */
#define FUNCTION(function, result, arguments, ...) {		\
	TYPE(function, result, arguments),			\
	CALL(function),						\
	__VA_ARGS__						\
}

/* A function that is watched or diverted. Handlers get its arguments by their positions. */
#define HOOK(function, result, arguments) {			\
	TYPE(function, result, arguments),			\
	.optional = true,					\
}

/* A tracepoint with a probe: PROBE() compares the probe's type with the declaration. */
#define TRACEPOINT(event, arguments) {				\
	.name = #event,						\
	.described = "btf_trace_" #event,			\
	.kind = BTF_KIND_TYPEDEF,				\
	.type = "void " #arguments,				\
	.optional = true,					\
}

/* A member that is used of a structure that was copied by hand. */
#define MEMBER(structure, part, ...) {				\
	.name = #structure,					\
	.described = #structure,				\
	.kind = BTF_KIND_STRUCT,				\
	.member = #part,					\
	.offset = offsetof(struct structure, part),		\
	.size = sizeof_field(struct structure, part),		\
	__VA_ARGS__						\
}

static struct symbol symbols[] __ro_after_init = {
	{ TYPE(kallsyms_lookup_name, unsigned long, (const char *)) },
	{
		EITHER(migrate_pages,
		       int, (struct list_head *, new_folio_t *, free_folio_t *, unsigned long,
			     enum migrate_mode, int, unsigned int *),
		       int, (struct list_head *, new_folio_t *, free_folio_t *, unsigned long,
			     enum migrate_mode, enum migrate_reason, unsigned int *)),
		CALL(migrate_pages),
	},
	FUNCTION(putback_movable_pages, void, (struct list_head *)),
	FUNCTION(folio_isolate_lru, bool, (struct folio *)),
	{
		RENAMED(SPLIT_HUGE_PAGE, int, (struct page *, struct list_head *, unsigned int)),
		CALL(split_huge_page_to_list_to_order),
		.optional = true,
	},
	FUNCTION(node_is_toptier, bool, (int)),
	FUNCTION(zone_watermark_ok, bool, (struct zone *, unsigned int, unsigned long, int,
					   unsigned int)),
	FUNCTION(wakeup_kswapd, void, (struct zone *, gfp_t, int, enum zone_type)),
	{
		RENAMED(MOD_LRUVEC_STATE, void, (struct lruvec *, enum node_stat_item, int)),
		CALL(mod_lruvec_state),
	},
	{
		RENAMED(COUNT_MEMCG_EVENTS, void, (struct mem_cgroup *, enum vm_event_item,
						   unsigned long)),
		CALL(count_memcg_events),
	},
	FUNCTION(task_sched_runtime, unsigned long long, (struct task_struct *)),
	FUNCTION(idle_cpu, int, (int)),
	FUNCTION(folio_xchg_last_cpupid, int, (struct folio *, int)),
	FUNCTION(rmap_walk, void, (struct folio *, struct rmap_walk_control *)),
	{
		EITHER(folio_lock_anon_vma_read,
		       struct anon_vma *, (struct folio *, struct rmap_walk_control *),
		       struct anon_vma *, (const struct folio *, struct rmap_walk_control *)),
		CALL(folio_lock_anon_vma_read),
	},
	FUNCTION(page_vma_mapped_walk, bool, (struct page_vma_mapped_walk *)),
	FUNCTION(__get_vma_policy, struct mempolicy *, (struct vm_area_struct *, unsigned long,
							pgoff_t *)),
	FUNCTION(mpol_shared_policy_lookup, struct mempolicy *, (struct shared_policy *,
								 pgoff_t)),
	FUNCTION(__mpol_put, void, (struct mempolicy *)),
	{
		EITHER(next_demotion_node, int, (int), int, (int, const nodemask_t *)),
		CALL(next_demotion_node),
		.optional = true,
	},
	FUNCTION(node_get_allowed_targets, void, (pg_data_t *, nodemask_t *), .optional = true),
	FUNCTION(walk_page_range, int, (struct mm_struct *, unsigned long, unsigned long,
					const struct mm_walk_ops *, void *), .optional = true),
	{
		RENAMED(PTE_OFFSET_MAP_LOCK, pte_t *, (struct mm_struct *, pmd_t *, unsigned long,
						       spinlock_t **)),
		CALL(pte_offset_map_lock),
		.optional = true,
	},
	{
		EITHER(__mmu_notifier_clear_young,
		       int, (struct mm_struct *, unsigned long, unsigned long),
		       bool, (struct mm_struct *, unsigned long, unsigned long)),
		CALL(__mmu_notifier_clear_young),
		.optional = true,
	},
#ifdef CONFIG_X86
	{
		EITHER(ptep_test_and_clear_young,
		       int, (struct vm_area_struct *, unsigned long, pte_t *),
		       bool, (struct vm_area_struct *, unsigned long, pte_t *)),
		CALL(ptep_test_and_clear_young),
		.optional = true,
	},
	{
		EITHER(pmdp_test_and_clear_young,
		       int, (struct vm_area_struct *, unsigned long, pmd_t *),
		       bool, (struct vm_area_struct *, unsigned long, pmd_t *)),
		CALL(pmdp_test_and_clear_young),
		.optional = true,
	},
	FUNCTION(flush_tlb_mm_range, void, (struct mm_struct *, unsigned long, unsigned long,
					    unsigned int, bool), .optional = true),
#else
	FUNCTION(__mmu_notifier_arch_invalidate_secondary_tlbs, void,
		 (struct mm_struct *, unsigned long, unsigned long), .optional = true),
#endif
	FUNCTION(vma_policy_mof, bool, (struct vm_area_struct *), .optional = true),
	FUNCTION(mem_cgroup_iter, struct mem_cgroup *, (struct mem_cgroup *, struct mem_cgroup *,
							struct mem_cgroup_reclaim_cookie *),
		 .optional = true),
	{
		EITHER(try_to_inc_max_seq,
		       bool, (struct lruvec *, unsigned long, bool, bool),
		       bool, (struct lruvec *, unsigned long, int, bool)),
		CALL(try_to_inc_max_seq),
		.optional = true,
	},
	HOOK(should_numa_migrate_memory, bool, (struct task_struct *, struct folio *, int, int)),
	HOOK(folio_mark_accessed, void, (struct folio *)),
	AGING_HOOK(HOOK),
	HOOK(alloc_migration_target, struct folio *, (struct folio *, unsigned long)),
	TRACEPOINT(sched_process_fork, (void *, struct task_struct *, struct task_struct *)),
#ifdef PGHOT_HAS_EXIT_OF_GROUP
	TRACEPOINT(sched_process_exit, (void *, struct task_struct *, bool)),
#else
	TRACEPOINT(sched_process_exit, (void *, struct task_struct *)),
#endif
	TRACEPOINT(mm_vmscan_write_folio, (void *, struct folio *)),
	MEMBER(cpuset, css),
	MEMBER(cpuset, effective_mems),
	MEMBER(migration_target_control, gfp_mask, .optional = true),
	MEMBER(migration_target_control, reason, .optional = true),
};

int *pghot_numa_balancing_mode;
struct mem_cgroup **pghot_root_mem_cgroup;
struct cgroup_subsys *pghot_cpuset_cgrp_subsys;
unsigned int *pghot_numa_scan_period_max;
unsigned int *pghot_numa_scan_size;
bool *pghot_numa_demotion_enabled;
int *pghot_ftrace_enabled;
struct static_key_true *pghot_lru_gen_caps;
struct static_key_false *pghot_sched_numa_balancing;
static struct kobject **mm_kobj_addr;

static const struct {
	const char *name;
	void **where;
	bool optional;
} variables[] = {
	{ "sysctl_numa_balancing_mode",	(void **)&pghot_numa_balancing_mode },
	{ "root_mem_cgroup",		(void **)&pghot_root_mem_cgroup },
	{ "cpuset_cgrp_subsys",		(void **)&pghot_cpuset_cgrp_subsys },
	{ "mm_kobj",			(void **)&mm_kobj_addr },
	{ "ftrace_enabled",		(void **)&pghot_ftrace_enabled },
	{ "numa_demotion_enabled",	(void **)&pghot_numa_demotion_enabled, true },
	{ "lru_gen_caps",		(void **)&pghot_lru_gen_caps, true },
	{ "sched_numa_balancing",	(void **)&pghot_sched_numa_balancing, true },
	{ "sysctl_numa_balancing_scan_period_max", (void **)&pghot_numa_scan_period_max, true },
	{ "sysctl_numa_balancing_scan_size", (void **)&pghot_numa_scan_size, true },
};

/*
 * A kprobe finds the address of this function, and it is called like all others. The kprobe is
 * never armed, because it is not meant to be hit. Besides, if an armed kprobe comes and goes while
 * ftrace is switched off, ftrace gives up for good when it is switched on again.
 */
DEFINE_STATIC_CALL_NULL(pghot_kallsyms_lookup_name, kallsyms_lookup_name);

static int resolve_lookup(void)
{
	struct kprobe probe = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&probe);

	if (ret) {
		pr_err("cannot find kernel symbol %s (%d)\n", probe.symbol_name, ret);
		return ret;
	}
	__static_call_update(&STATIC_CALL_KEY(pghot_kallsyms_lookup_name),
			     STATIC_CALL_TRAMP_ADDR(pghot_kallsyms_lookup_name), probe.addr);
	unregister_kprobe(&probe);
	return 0;
}

static void *lookup(const char *name)
{
	return (void *)static_call(pghot_kallsyms_lookup_name)(name);
}

static void *resolve(const char *name, bool optional)
{
	void *addr = lookup(name);

	if (!addr && optional)
		pr_info("this kernel has no symbol %s, which pghot can do without\n", name);
	else if (!addr)
		pr_err("this kernel has no symbol %s\n", name);
	return addr;
}

/* Returns 0, or why pghot must not load. */
static int check_types(void)
{
	const char *begin = lookup("__start_BTF"), *end = lookup("__stop_BTF");
	unsigned int i;
	int ret = -EINVAL;

	if (begin && end > begin)
		ret = pghot_types_check(symbols, ARRAY_SIZE(symbols), begin, end - begin);
	if (ret == -ENOMEM)
		return ret;
	if (ret < 0)
		pr_info("this kernel does not describe its types (CONFIG_DEBUG_INFO_BTF), so that they could not be checked\n");
	else
		pr_info("%d of %d types of this kernel checked\n", ret,
			(int)ARRAY_SIZE(symbols));
	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		if (symbols[i].differs && !symbols[i].optional)
			return -ENOEXEC;
	return 0;
}

static int resolve_functions(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		const struct symbol *symbol = &symbols[i];
		void *addr = NULL;

		/* The log has named those that differ. */
		if (symbol->key && !symbol->differs)
			addr = resolve(symbol->name, symbol->optional);
		if (addr)
			__static_call_update(symbol->key, symbol->tramp, addr);
		else if (symbol->key && !symbol->optional)
			return -ENOENT;
	}
	return 0;
}

/**
 * pghot_symbols_resolve() - find everything that pghot needs of the kernel
 *
 * Process context, once, before anything else of this directory is used. A kernel that does
 * not describe its types is believed to be as pghot thinks.
 *
 * Return: 0; -ENOENT if a symbol that pghot needs is missing, -ENOEXEC if one is of another
 * type, with its name in the log; or -ENOMEM.
 */
int pghot_symbols_resolve(void)
{
	int ret = resolve_lookup() ?: check_types();
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(variables); i++) {
		*variables[i].where = resolve(variables[i].name, variables[i].optional);
		if (!*variables[i].where && !variables[i].optional)
			return -ENOENT;
	}
	return resolve_functions();
}

/**
 * pghot_symbols_known() - may pghot rely on the type of a symbol?
 * @name: name of a hook, a tracepoint or a structure
 *
 * Any context, after pghot_symbols_resolve().
 *
 * Return: false if the running kernel has another type, of which the log has told, or if the
 * table above has no such name.
 */
bool pghot_symbols_known(const char *name)
{
	bool known = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (strcmp(symbols[i].name, name))
			continue;
		if (symbols[i].differs)
			return false;
		known = true;
	}
	return known;
}

/**
 * pghot_symbols_mm_kobj() - /sys/kernel/mm
 *
 * Process context.
 */
struct kobject *pghot_symbols_mm_kobj(void)
{
	return *mm_kobj_addr;
}
