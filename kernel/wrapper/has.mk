# SPDX-License-Identifier: GPL-2.0
# What the kernel that this is built for has. Its headers are asked, and not its version, because
# distributions carry parts of newer kernels in older ones. Only wrapper/ uses the answers. What no
# header tells depends on the version: see wrapper/aginghook.h and wrapper/functions.h.

# $(call pghot-has,NAME,HEADER,PATTERN): define PGHOT_HAS_NAME if a line of the header has the
# pattern.
pghot-has = $(if $(shell grep -lE '$(3)' $(srctree)/include/$(2)),-DPGHOT_HAS_$(1))

# 6.13: in place of hrtimer_init().
ccflags-y += $(call pghot-has,HRTIMER_SETUP,linux/hrtimer.h,hrtimer_setup)
# 6.15: what was folio_likely_mapped_shared().
ccflags-y += $(call pghot-has,MAYBE_MAPPED_SHARED,linux/mm.h,folio_maybe_mapped_shared)
# 6.14: the folio is constant.
ccflags-y += $(call pghot-has,CONST_ANON_LOCK,linux/rmap.h,folio_lock_anon_vma_read.const )
# 6.16: the tracepoint tells whether all of the process exits.
ccflags-y += $(call pghot-has,EXIT_OF_GROUP,trace/events/sched.h,^TRACE_EVENT.sched_process_exit)
# Until 6.15: count_memcg_events() is inline, and calls this.
ccflags-y += $(call pghot-has,INNER_COUNT_MEMCG,linux/memcontrol.h,^void __count_memcg_events)
# Until 6.18: mod_lruvec_state() is inline, and calls this.
ccflags-y += $(call pghot-has,INNER_MOD_LRUVEC,linux/vmstat.h,^void __mod_lruvec_state)
# Until 6.19: pte_offset_map_lock() is inline, and calls this.
ccflags-y += $(call pghot-has,INNER_MAP_LOCK,linux/mm.h,__pte_offset_map_lock)
# 7.0: split_huge_page_to_list_to_order() is inline, and calls this.
ccflags-y += $(call pghot-has,INNER_SPLIT,linux/huge_mm.h,^int __split_huge_page_to_list_to_order)
# 7.0: the caller says which nodes are allowed.
ccflags-y += $(call pghot-has,DEMOTION_MASK,linux/memory-tiers.h,next_demotion_node.*allowed)
