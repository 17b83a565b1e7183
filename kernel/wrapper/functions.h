/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What pghot uses of the kernel and the kernel does not export
 *
 * Functions are called through static calls, that is by a direct CALL that is patched into the
 * text. Stock kernels seal functions whose address they do not take. On machines with
 * indirect-branch tracking, an indirect call of such a function would fault.
 *
 * Only files of this directory include this header.
 */
#ifndef PGHOT_WRAPPER_FUNCTIONS_H
#define PGHOT_WRAPPER_FUNCTIONS_H

#include <linux/jump_label.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mmzone.h>
#include <linux/pagewalk.h>
#include <linux/rmap.h>
#include <linux/sched.h>
#include <linux/sched/cputime.h>
#include <linux/static_call.h>
#include <linux/version.h>
#include <linux/vmstat.h>

/* Declared in mm/internal.h, which modules do not see. */
bool folio_isolate_lru(struct folio *folio);
/* Declared in asm/tlbflush.h, but not for modules. Other architectures have none: see inlined.c. */
void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end,
			unsigned int stride_shift, bool freed_tables);
#ifndef CONFIG_X86
#define TLB_FLUSH_ALL	(-1UL)
#endif
#ifndef CONFIG_MMU_NOTIFIER
/* Declared in linux/mmu_notifier.h, but only for kernels that have it. */
int __mmu_notifier_clear_young(struct mm_struct *mm, unsigned long start, unsigned long end);
#endif

/* Static in mm/vmscan.c. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
bool try_to_inc_max_seq(struct lruvec *lruvec, unsigned long seq, bool can_swap, bool force_scan);
#else
bool try_to_inc_max_seq(struct lruvec *lruvec, unsigned long seq, int swappiness, bool force_scan);
#endif

/* What is called where other functions of the kernel are inline. */
#ifdef PGHOT_HAS_INNER_COUNT_MEMCG
#define COUNT_MEMCG_EVENTS	__count_memcg_events
#else
#define COUNT_MEMCG_EVENTS	count_memcg_events
#endif
#ifdef PGHOT_HAS_INNER_MOD_LRUVEC
#define MOD_LRUVEC_STATE	__mod_lruvec_state
#else
#define MOD_LRUVEC_STATE	mod_lruvec_state
#endif
#ifdef PGHOT_HAS_INNER_MAP_LOCK
#define PTE_OFFSET_MAP_LOCK	__pte_offset_map_lock
#else
#define PTE_OFFSET_MAP_LOCK	pte_offset_map_lock
#endif
#ifdef PGHOT_HAS_INNER_SPLIT
#define SPLIT_HUGE_PAGE		__split_huge_page_to_list_to_order
#else
#define SPLIT_HUGE_PAGE		split_huge_page_to_list_to_order
#endif

/* Their types are those of the kernel's own headers. Optional ones may be NULL. */
DECLARE_STATIC_CALL(pghot_migrate_pages, migrate_pages);
DECLARE_STATIC_CALL(pghot_putback_movable_pages, putback_movable_pages);
DECLARE_STATIC_CALL(pghot_folio_isolate_lru, folio_isolate_lru);
DECLARE_STATIC_CALL(pghot_split_huge_page_to_list_to_order, SPLIT_HUGE_PAGE);
DECLARE_STATIC_CALL(pghot_node_is_toptier, node_is_toptier);
DECLARE_STATIC_CALL(pghot_next_demotion_node, next_demotion_node);
DECLARE_STATIC_CALL(pghot_node_get_allowed_targets, node_get_allowed_targets);
DECLARE_STATIC_CALL(pghot_zone_watermark_ok, zone_watermark_ok);
DECLARE_STATIC_CALL(pghot_wakeup_kswapd, wakeup_kswapd);
DECLARE_STATIC_CALL(pghot_mod_lruvec_state, MOD_LRUVEC_STATE);
DECLARE_STATIC_CALL(pghot_count_memcg_events, COUNT_MEMCG_EVENTS);
DECLARE_STATIC_CALL(pghot_task_sched_runtime, task_sched_runtime);
DECLARE_STATIC_CALL(pghot_idle_cpu, idle_cpu);
DECLARE_STATIC_CALL(pghot_folio_xchg_last_cpupid, folio_xchg_last_cpupid);
DECLARE_STATIC_CALL(pghot_walk_page_range, walk_page_range);
DECLARE_STATIC_CALL(pghot_pte_offset_map_lock, PTE_OFFSET_MAP_LOCK);
DECLARE_STATIC_CALL(pghot_ptep_test_and_clear_young, ptep_test_and_clear_young);
DECLARE_STATIC_CALL(pghot_pmdp_test_and_clear_young, pmdp_test_and_clear_young);
DECLARE_STATIC_CALL(pghot___mmu_notifier_clear_young, __mmu_notifier_clear_young);
DECLARE_STATIC_CALL(pghot_flush_tlb_mm_range, flush_tlb_mm_range);
#ifndef CONFIG_X86
DECLARE_STATIC_CALL(pghot___mmu_notifier_arch_invalidate_secondary_tlbs,
		    __mmu_notifier_arch_invalidate_secondary_tlbs);
#endif
DECLARE_STATIC_CALL(pghot_vma_policy_mof, vma_policy_mof);
DECLARE_STATIC_CALL(pghot_rmap_walk, rmap_walk);
DECLARE_STATIC_CALL(pghot_folio_lock_anon_vma_read, folio_lock_anon_vma_read);
DECLARE_STATIC_CALL(pghot_page_vma_mapped_walk, page_vma_mapped_walk);
DECLARE_STATIC_CALL(pghot___get_vma_policy, __get_vma_policy);
DECLARE_STATIC_CALL(pghot_mpol_shared_policy_lookup, mpol_shared_policy_lookup);
DECLARE_STATIC_CALL(pghot___mpol_put, __mpol_put);
DECLARE_STATIC_CALL(pghot_mem_cgroup_iter, mem_cgroup_iter);
DECLARE_STATIC_CALL(pghot_try_to_inc_max_seq, try_to_inc_max_seq);

extern int *pghot_numa_balancing_mode;
extern struct mem_cgroup **pghot_root_mem_cgroup;
extern struct cgroup_subsys *pghot_cpuset_cgrp_subsys;
/* Optional: ms, MiB. */
extern unsigned int *pghot_numa_scan_period_max;
extern unsigned int *pghot_numa_scan_size;
extern bool *pghot_numa_demotion_enabled;
extern int *pghot_ftrace_enabled;
extern struct static_key_false *pghot_sched_numa_balancing;
extern struct static_key_true *pghot_lru_gen_caps;

#endif /* PGHOT_WRAPPER_FUNCTIONS_H */
