/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine's memory as the vCPUs see it: caches, prefetchers, nodes and their
 * bandwidth put together. An access goes in, its stall comes out, and everything
 * is counted.
 */
#ifndef TIERMEM_MEMORY_H
#define TIERMEM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth.h"
#include "cache.h"
#include "config.h"
#include "copying.h"
#include "frames.h"
#include "heat.h"
#include "hmu.h"
#include "nodemap.h"
#include "overlap.h"
#include "stream.h"
#include "tlb.h"

#define MEMORY_PAGE_SHIFT	12

/*
 * Accesses that a node served, by who made them. All but the kernel's stores are uses of
 * the page: what the kernel stores is mostly a copy, such as a migration's own.
 */
struct memory_node_counts {
	uint64_t miss[2][2];	/* [kernel][store] */
	uint64_t hot;		/* of these, uses of the hot range */
	uint64_t writeback;
	uint64_t streamed;
	uint64_t walk;		/* lines of page tables that walks read; not among the misses */
};

struct memory_counts {
	struct memory_node_counts node[NODEMAP_MAX_NODES];
	uint64_t stall_ps;
	uint64_t queue_ps;	/* part of the stall caused by bandwidth */
	uint64_t tlb_l2_hits;
	uint64_t walks;
	uint64_t translate_ps;	/* part of the stall caused by these two */
	uint64_t copies[NODEMAP_MAX_NODES][NODEMAP_MAX_NODES];	/* pages, [from][to] */
};

struct memory_vcpu {
	struct cache l1;	/* by virtual line */
	struct cache l2;	/* by RAM line, as the last level */
	struct cache *llc;
	int64_t latency_ps[NODEMAP_MAX_NODES];
	int64_t streamed_ps[NODEMAP_MAX_NODES];
	struct stream_table streams;
	struct overlap overlap;
	struct tlb tlb;
	struct copying copying;
	struct memory_counts counts;
	bool in_slice;		/* bw_slice_begin() was called for this slice */
};

struct memory {
	struct nodemap map;
	struct bandwidth bw;
	struct cache llc[NODEMAP_MAX_NODES];
	struct memory_vcpu vcpu[VTIME_MAX_VCPUS];
	int64_t l2_ps;
	int64_t llc_ps;
	uint32_t *page;		/* uses per page of 4 KiB, by RAM offset */
	uint64_t nr_pages;
	struct heat heat;	/* of the same uses, over time */
	struct frames frames;
	bool counting;		/* pages, and for the monitoring unit */
	struct hmu hmu;
	bool overlaps;		/* misses do: their instructions and values have to be known */
	bool has_tlb;
	int64_t tlb_l2_ps;
	const uint8_t *host[NODEMAP_MAX_NODES];	/* where QEMU has the node's RAM, for walks */
	uint64_t hot_first;	/* the hot range, virtual addresses */
	uint64_t hot_bytes;	/* 0: there is none */
	int nr_vcpus;
};

/* What the first level says of an access. */
enum l1_result {
	L1_HIT,			/* done */
	L1_MISS,
	L1_MADE_DIRTY,		/* hit, and the line was clean until now */
};

/* Build the memory of @cfg. False if out of memory. */
bool memory_init(struct memory *m, const struct config *cfg);

/*
 * Put a hotness monitoring unit for all nodes without CPUs into the file that @cfg names.
 * NULL, or what is wrong.
 */
const char *memory_add_hmu(struct memory *m, const struct config *cfg);

/*
 * All counts from 0. Pages and uses for the monitoring unit are counted until the end. The heat
 * map begins with columns of @interval_ns from @now_ns on.
 */
void memory_begin_counts(struct memory *m, int64_t interval_ns, int64_t now_ns);
void memory_end_counts(struct memory *m);

/*
 * The access of vCPU @i missed its first level, or made a line dirty there. @off
 * is its RAM offset, @vaddr its virtual address, @now the vCPU's local time in ps.
 * Where misses overlap, the vCPU's struct overlap tells what else is to be known of it.
 * Returns the stall in ps.
 */
int64_t memory_access(struct memory *m, int i, enum l1_result l1, uint64_t off,
		      uint64_t vaddr, bool store, bool kernel, int64_t now);

/*
 * A walk of vCPU @i reads the entry of a page table at RAM offset @off. It goes through the
 * second level of the caches and those beyond. Returns the stall in ps, which counts already.
 */
int64_t memory_walk_read(struct memory *m, int i, uint64_t off, int64_t now);

/* vCPU @i has copied a page in the kernel, from and to these RAM offsets. */
void memory_copied(struct memory *m, int i, uint64_t from, uint64_t to);

/* vCPU @i ends a slice of @ps, or stops after one. */
void memory_slice_end(struct memory *m, int i, int64_t ps);
void memory_stop(struct memory *m, int i);

/* First level of the vCPU @v: the whole access for nearly all of them. */
static inline enum l1_result memory_l1(struct memory_vcpu *v, uint64_t vaddr, bool store)
{
	uint64_t line = vaddr >> CACHE_LINE_SHIFT, victim;
	uint64_t *set = cache_set(&v->l1, line);

	if (!cache_access(&v->l1, line, false, &victim)) {
		set[0] |= store;
		return L1_MISS;
	}
	if (!store || (set[0] & 1))
		return L1_HIT;
	set[0] |= 1;
	return L1_MADE_DIRTY;
}

/* The access that memory_l1() just took in is to a device: forget it. */
static inline void memory_not_cached(struct memory_vcpu *v, uint64_t vaddr)
{
	cache_set(&v->l1, vaddr >> CACHE_LINE_SHIFT)[0] = CACHE_NONE;
}

#endif
