// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: One look at a piece of memory
 *
 * One look at a piece of memory: its accessed bits are tested and cleared.
 *
 * What the looks find is kept in bitmaps beside the page tables, so that no struct page is
 * touched but those of pages that are reported: reading them would take more time than all the
 * rest.
 *
 * Nobody else is misled. The last look leaves bits as they are, and a page that was used before
 * gets its folio's young flag, where reclaim finds it. What maps the memory besides the process,
 * as a virtual machine's monitor for its guest, is asked for its bits as well.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/page_idle.h>
#include <linux/pagewalk.h>
#include <linux/sched/mm.h>
#include <linux/topology.h>

#include "core/cold.h"
#include "core/slow.h"
#include "pghot.h"
#include "policy/policy.h"
#include "sources/mappings.h"
#include "sources/windows/windows.h"
#include "wrapper/pagetable.h"

/* Entries looked at under one mmap_lock: well below a millisecond. */
#define CHUNK		16384
/*
 * What an entry costs of it where secondary page tables have to be asked, too: see
 * sources/accessed/walk.c.
 */
#define ASKED		32
#define ASKED_HUGE	HPAGE_PMD_NR
/* Base pages of a page table of the sample that are looked at, and what a part costs of CHUNK. */
#define SAMPLE_PAGES	64u
#define SAMPLE_PARTS	(PTRS_PER_PTE / SAMPLE_PAGES)
#define SAMPLE_COST	16
/*
 * Uses that are recorded for a page that is hot. To swap a huge page costs so much that it has to
 * be hot in two sweeps, with the default freq_threshold of 2.
 */
#define USES		2
#define USES_OF_SWAP	1

/*
 * The node that a page is promoted to: one where the process runs, each as often as the process
 * has CPUs there. Which of its threads uses the page is not known.
 */
static int accessor(const struct window_look *look, unsigned long pfn)
{
	const struct cpumask *cpus = mm_cpumask(look->piece->mm);
	unsigned int nr = cpumask_weight(cpus), cpu;

	if (!nr || num_node_state(N_CPU) == 1)
		return NUMA_NO_NODE;
	cpu = cpumask_nth(hash_long(pfn, 16) % nr, cpus);
	return cpu < nr_cpu_ids ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* Base pages of a folio of the kind that is looked at. */
static unsigned int size_of(const struct window_look *look)
{
	return look->kind == POLICY_HUGE ? HPAGE_PMD_NR : 1;
}

/* A page of a slow node is hot. */
static void report_hot(struct window_look *look, unsigned long pfn)
{
	u64 when = pghot_clock() - min(look->window_ns, pghot_memory());
	bool swaps = look->kind == POLICY_HUGE && pghot_policy_swaps();

	if (pghot_policy_seeks(look->kind) &&
	    pghot_record_range(pfn, 1, accessor(look, pfn), WINDOWS_BIT, when,
			       swaps ? USES_OF_SWAP : USES) > 0)
		look->found->found += size_of(look);
}

/* Which tier is the page in? Pages that follow one another are mostly of one memory section. */
static enum window_tier tier_of(struct window_look *look, unsigned long pfn)
{
	if (look->section == pfn_to_section_nr(pfn))
		return look->tier;
	look->section = pfn_to_section_nr(pfn);
	if (!pfn_to_online_page(pfn))
		look->tier = WINDOW_NO_TIER;
	else
		look->tier = pghot_is_slow(pfn_to_nid(pfn)) ? WINDOW_SLOW : WINDOW_FAST;
	return look->tier;
}

/* A page of a fast node was used in no window before this one. */
static void judge_idle(struct window_look *look, unsigned long pfn, bool hit, bool before)
{
	rate_add(look->cold, hit, look->window_ns);
	if (!hit && look->offers)
		pghot_cold_offer(pfn, size_of(look), !before);
}

/* A page of a slow node was used in this window and in another one before. */
static void report_eagerly(struct window_look *look, unsigned long pfn)
{
	if (look->eager && tier_of(look, pfn) == WINDOW_SLOW)
		report_hot(look, pfn);
}

/* Of pages in use, some are read later to see how long that takes; of idle fast ones as well. */
static void choose_for_reading(struct window_look *look, enum window_tier tier, unsigned long pfn)
{
	struct window_reads *reads = &look->reads[tier == WINDOW_SLOW];
	unsigned long chance = hash_long(pfn ^ look->salt, ilog2(WINDOW_READS_OF * HPAGE_PMD_NR));
	unsigned int times = look->stride > 1 ? WINDOW_READS_SAMPLE : 1;

	/* Others than in the last slice, whose lines are in a cache. Huge pages are few. */
	if (look->kind == POLICY_HUGE)
		pfn += chance % HPAGE_PMD_NR;
	else if (chance >= times * HPAGE_PMD_NR)
		return;
	reads->pfn[reads->nr++ % WINDOW_READS] = pfn;
}

/* A huge page of a fast node, or one of a slow node that was used in all windows. */
static void choose_for_splitting(struct window_look *look, enum window_tier tier, unsigned long pfn)
{
	struct window_splits *splits = look->splits;

	if (look->kind == POLICY_HUGE && splits->wanted[tier == WINDOW_SLOW] &&
	    splits->nr < WINDOW_SPLITS)
		splits->pfn[splits->nr++] = pfn;
}

/* What the last look tells of a page. The lock of its page table keeps it mapped. */
static void judge(struct window_look *look, const struct window_table *table, unsigned int i,
		  unsigned long pfn, bool hit)
{
	bool before = test_bit(i, table->before), any = test_bit(i, table->any);
	enum window_tier tier = tier_of(look, pfn);

	/* It makes no room, however idle it is. */
	if (look->locked && tier == WINDOW_FAST)
		return;
	look->found->looked += size_of(look);
	if (hit)
		look->found->used += size_of(look);
	if (tier == WINDOW_FAST || (tier == WINDOW_SLOW && hit))
		choose_for_reading(look, tier, pfn);
	if (tier == WINDOW_FAST || (tier == WINDOW_SLOW && hit && test_bit(i, table->all)))
		choose_for_splitting(look, tier, pfn);
	/* How often hot pages are used is told by those that were used in all windows before. */
	if (tier == WINDOW_SLOW && test_bit(i, table->all)) {
		rate_add(look->hot, hit, look->window_ns);
		if (hit)
			report_hot(look, pfn);
	} else if (hit && any) {
		report_eagerly(look, pfn);
	}
	if (tier == WINDOW_FAST && !any)
		judge_idle(look, pfn, hit, before);
}

/* Has reclaim find a use of the page whose accessed bit the looks have cleared. */
static void pass_on(unsigned long pfn)
{
	struct folio *folio = pghot_mapped_folio(pfn);

	if (folio && !folio_test_young(folio))
		folio_set_young(folio);
}

static void look_last(struct window_look *look, const struct window_table *table, unsigned int i,
		      unsigned long pfn, bool hit)
{
	bool cleared = test_bit(i, table->before) || test_bit(i, table->any);

	if (!look->piece->lost)
		judge(look, table, i, pfn, hit);
	/* Where there was somebody else to be asked, this look has cleared the bit. */
	if (hit ? mm_has_notifiers(look->piece->mm) : cleared)
		pass_on(pfn);
}

/* Has the piece got as many page tables as it may? */
static bool is_full(const struct window_look *look)
{
	return look->step == WINDOW_ARM && look->piece->nr_tables == look->most;
}

/*
 * The piece's page table that is mapped at this address, if it is looked at; the first look
 * adds it.
 */
static struct window_table *find_table(struct window_look *look, unsigned long addr)
{
	struct window_piece *piece = look->piece;
	struct window_table *table;

	addr &= PMD_MASK;
	if (look->step == WINDOW_ARM) {
		/* The last one may belong to several mappings. */
		table = &piece->table[piece->nr_tables];
		if (piece->nr_tables && table[-1].addr == addr)
			return table - 1;
		piece->nr_tables++;
		*table = (struct window_table){ .addr = addr };
		bitmap_fill(table->all, PTRS_PER_PTE);
		return table;
	}
	while (look->table < piece->nr_tables && piece->table[look->table].addr < addr)
		look->table++;
	table = &piece->table[look->table];
	return look->table < piece->nr_tables && table->addr == addr ? table : NULL;
}

/* Entries from @from to below @to were looked at; those in @hits were used. */
static void note(struct window_look *look, struct window_table *table, const unsigned long *hits,
		 unsigned int from, unsigned int to)
{
	unsigned int i;

	if (look->step == WINDOW_ARM) {
		bitmap_or(table->before, table->before, hits, PTRS_PER_PTE);
		return;
	}
	bitmap_or(table->any, table->any, hits, PTRS_PER_PTE);
	if (from == 0 && to == PTRS_PER_PTE) {
		bitmap_and(table->all, table->all, hits, PTRS_PER_PTE);
		return;
	}
	/* The table belongs to several mappings. */
	for (i = from; i < to; i++)
		if (!test_bit(i, hits))
			__clear_bit(i, table->all);
}

static void look_huge(struct vm_area_struct *vma, pmd_t *pmd, unsigned long addr,
		      struct window_look *look, struct window_table *table)
{
	spinlock_t *ptl = pmd_lock(vma->vm_mm, pmd);
	pmd_t entry = pmdp_get(pmd);
	DECLARE_BITMAP(hits, PTRS_PER_PTE) = { };
	bool hit;

	look->budget--;
	look->entries++;
	if (!pmd_present(entry) || !pmd_trans_huge(entry))
		goto out;
	if (mm_has_notifiers(vma->vm_mm))
		look->budget -= ASKED_HUGE;
	/* The last look leaves the bit, where there is nobody else to be asked. */
	if (look->step == WINDOW_THIRD && !mm_has_notifiers(vma->vm_mm))
		hit = pmd_young(entry);
	else
		hit = pghot_pagetable_clear_young_pmd(vma, addr, pmd);
	if (look->step == WINDOW_THIRD) {
		look_last(look, table, 0, pmd_pfn(entry), hit);
		goto out;
	}
	look->cleared |= hit;
	if (hit && look->step == WINDOW_SECOND && test_bit(0, table->any))
		report_eagerly(look, pmd_pfn(entry));
	__assign_bit(0, hits, hit);
	note(look, table, hits, 0, 1);
out:
	spin_unlock(ptl);
}

static void look_ptes(struct vm_area_struct *vma, pmd_t *pmd, unsigned long addr,
		      unsigned long end, struct window_look *look, struct window_table *table)
{
	/* Secondary page tables may have been used where this one was not. */
	bool ask = mm_has_notifiers(vma->vm_mm);
	unsigned int from = pte_index(addr), i = from;
	DECLARE_BITMAP(hits, PTRS_PER_PTE) = { };
	spinlock_t *ptl = NULL;
	pte_t *first = pghot_pagetable_lock_ptes(vma->vm_mm, pmd, addr, &ptl), *pte;

	if (!first)
		return;
	/* Where sparse cannot see it. */
	__acquire(RCU);
	__acquire(ptl);
	look->budget -= (end - addr) >> PAGE_SHIFT;
	look->entries += (end - addr) >> PAGE_SHIFT;
	for (pte = first; addr < end; pte++, i++, addr += PAGE_SIZE) {
		pte_t entry = ptep_get(pte);
		bool hit;

		if (!pte_present(entry) || pte_special(entry))
			continue;
		hit = pte_young(entry);
		if (ask)
			look->budget -= ASKED;
		/* The last look leaves the bit, where there is nobody else to be asked. */
		if (ask || (hit && look->step != WINDOW_THIRD))
			hit = pghot_pagetable_clear_young_pte(vma, addr, pte);
		if (look->step == WINDOW_THIRD)
			look_last(look, table, i, pte_pfn(entry), hit);
		else if (hit)
			__set_bit(i, hits);
		if (hit && look->step == WINDOW_SECOND && test_bit(i, table->any))
			report_eagerly(look, pte_pfn(entry));
	}
	if (look->step != WINDOW_THIRD) {
		look->cleared |= !bitmap_empty(hits, PTRS_PER_PTE);
		note(look, table, hits, from, i);
	}
	pte_unmap_unlock(first, ptl);
}

static enum policy_kind kind_of(bool huge)
{
	return huge ? POLICY_HUGE : POLICY_SMALL;
}

static int look_pmd(pmd_t *pmd, unsigned long addr, unsigned long end, struct mm_walk *walk)
{
	struct window_look *look = walk->private;
	bool huge = pmd_trans_huge(pmdp_get_lockless(pmd));
	struct window_table *table;

	look->next = end;
	look->budget--;
	if (kind_of(huge) != look->kind)
		return look->budget <= 0;
	table = find_table(look, addr);
	if (table && look->kind == POLICY_HUGE)
		look_huge(walk->vma, pmd, addr, look, table);
	else if (table)
		look_ptes(walk->vma, pmd, addr, end, look, table);
	return look->budget <= 0 || is_full(look);
}

/* Where there is no page table there is nothing to be seen, but looking for one takes time, too. */
static int look_hole(unsigned long addr, unsigned long end, int depth, struct mm_walk *walk)
{
	struct window_look *look = walk->private;

	look->next = end;
	look->budget--;
	return look->budget <= 0;
}

static const struct mm_walk_ops walk_ops = {
	.pmd_entry = look_pmd,
	.pte_hole = look_hole,
	.walk_lock = PGWALK_RDLOCK,
};

/* Narrows a range to the first part of it that is in the sample. Returns whether there is one. */
static bool find_part(const struct window_look *look, unsigned long *start, unsigned long *end)
{
	unsigned long step = look->stride * PMD_SIZE, part, size = PMD_SIZE;

	if (look->stride > 1) {
		part = round_down(*start, step) + look->phase % look->stride * PMD_SIZE;
		if (look->kind == POLICY_SMALL) {
			size = SAMPLE_PAGES * PAGE_SIZE;
			part += hash_32(look->phase, ilog2(SAMPLE_PARTS)) * size;
		}
		if (*start >= part + size)
			part += step;
		*start = max(*start, part);
		*end = min(*end, part + size);
	}
	return *start < *end;
}

/*
 * One area, from @look->next. Returns false if it has to be gone on with: @look->next says where.
 */
static bool look_at_vma(struct window_look *look, struct vm_area_struct *vma, unsigned long end)
{
	unsigned long start = max(look->next, vma->vm_start), part = end;

	look->locked = vma->vm_flags & VM_LOCKED;
	while (find_part(look, &start, &part)) {
		if (look->budget <= 0 || is_full(look)) {
			look->next = start;
			return false;
		}
		look->budget -= SAMPLE_COST;
		if (pghot_pagetable_walk(vma->vm_mm, start, part, &walk_ops, look) > 0 &&
		    look->next < end)
			return false;
		start = part;
		part = end;
	}
	return true;
}

/* Returns whether the end of the piece, or of the address space, was reached. */
static bool look_at_vmas(struct window_look *look)
{
	struct mm_struct *mm = look->piece->mm;
	struct vm_area_struct *vma;
	struct vma_iterator vmi;

	vma_iter_init(&vmi, mm, look->next);
	for_each_vma_range(vmi, vma, look->piece->end) {
		unsigned long end = min(vma->vm_end, look->piece->end);

		if (look->budget <= 0 || is_full(look))
			return false;
		look->budget--;
		if (pghot_mapping_moves(vma, look->piece->bound) && !look_at_vma(look, vma, end))
			return false;
		look->next = end;
	}
	return true;
}

/**
 * pghot_windows_look() - look at a piece of memory
 * @look: which look at which piece; what it finds is added to what is there
 *
 * Process context, sleeps. Goes on from @look->next to the end of the piece; the first look
 * until the piece has @look->most page tables. @look->next is 0 if the end was reached.
 *
 * Return: 0; -EAGAIN if somebody changes the address space; -ESRCH if nobody uses it any more.
 */
int pghot_windows_look(struct window_look *look)
{
	struct mm_struct *mm = look->piece->mm;
	u64 now = pghot_clock();
	bool done = false;

	look->window_ns = now - min(now, look->piece->looked);
	while (!done && !is_full(look)) {
		if (!mmget_not_zero(mm))
			return -ESRCH;
		if (!mmap_read_trylock(mm)) {
			mmput_async(mm);
			return -EAGAIN;
		}
		look->budget = CHUNK;
		done = look_at_vmas(look);
		mmap_read_unlock(mm);
		/* The last user's work, if that is us, is long. */
		mmput_async(mm);
		cond_resched();
	}
	if (done)
		look->next = 0;
	return 0;
}
