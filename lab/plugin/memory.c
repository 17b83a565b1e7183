// SPDX-License-Identifier: GPL-2.0
#include "memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool vcpu_init(struct memory *m, int i, const struct config *cfg)
{
	struct memory_vcpu *v = &m->vcpu[i];
	int n, node = cfg->cpu_node[i];

	if (!m->llc[node].way && !cache_init(&m->llc[node], cfg->llc.bytes, cfg->llc.ways))
		return false;
	v->llc = &m->llc[node];
	stream_init(&v->streams);
	overlap_init(&v->overlap, cfg->window, cfg->streams);
	for (n = 0; n < cfg->nr_nodes; n++) {
		v->latency_ps[n] = cfg->latency_ns[node][n] * 1000;
		v->streamed_ps[n] = v->latency_ps[n] / cfg->streams;
	}
	if (m->has_tlb && !tlb_init(&v->tlb, &cfg->tlb))
		return false;
	return cache_init(&v->l1, cfg->l1.bytes, cfg->l1.ways) &&
	       cache_init(&v->l2, cfg->l2.bytes, cfg->l2.ways);
}

static uint32_t *count_per_page(uint64_t nr_pages)
{
	return mmap(NULL, nr_pages * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool memory_init(struct memory *m, const struct config *cfg)
{
	int i;

	memset(m, 0, sizeof(*m));
	nodemap_init(&m->map, cfg->below4g, cfg->node_bytes, cfg->nr_nodes);
	bw_init(&m->bw, cfg->node_mbps, cfg->nr_nodes, cfg->nr_cpus);
	m->l2_ps = cfg->l2.ns * 1000;
	m->llc_ps = cfg->llc.ns * 1000;
	m->overlaps = cfg->window;
	m->has_tlb = cfg->tlb.l2.entries;
	m->tlb_l2_ps = cfg->tlb.l2_ns * 1000;
	m->nr_vcpus = cfg->nr_cpus;
	m->nr_pages = m->map.total >> MEMORY_PAGE_SHIFT;
	m->page = count_per_page(m->nr_pages);
	m->frames.used_in = count_per_page(m->nr_pages);
	if (m->page == MAP_FAILED || m->frames.used_in == MAP_FAILED ||
	    !heat_init(&m->heat, &m->map))
		return false;
	for (i = 0; i < cfg->nr_cpus; i++)
		if (!vcpu_init(m, i, cfg))
			return false;
	return true;
}

const char *memory_add_hmu(struct memory *m, const struct config *cfg)
{
	unsigned int slow = (1u << cfg->nr_nodes) - 1;
	uint8_t *shared;
	struct stat st;
	int i, fd;

	for (i = 0; i < cfg->nr_cpus; i++)
		slow &= ~(1u << cfg->cpu_node[i]);
	if (!slow)
		return "all nodes have CPUs";
	fd = open(cfg->hmu_file, O_RDWR);
	if (fd < 0 || fstat(fd, &st))
		return "cannot be opened";
	if ((uint64_t)st.st_size < hmu_bytes(&cfg->hmu, __builtin_popcount(slow)))
		return "is too short";
	shared = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		return "cannot be mapped";
	return hmu_init(&m->hmu, &cfg->hmu, &m->map, slow, shared) ? NULL : "out of memory";
}

void memory_begin_counts(struct memory *m, int64_t interval_ns, int64_t now_ns)
{
	int i;

	for (i = 0; i < m->nr_vcpus; i++)
		memset(&m->vcpu[i].counts, 0, sizeof(m->vcpu[i].counts));
	memset(m->page, 0, m->nr_pages * sizeof(*m->page));
	memset(m->frames.used_in, 0, m->nr_pages * sizeof(*m->frames.used_in));
	memset(m->frames.used, 0, sizeof(m->frames.used));
	m->frames.interval = 1;
	heat_begin(&m->heat, interval_ns, now_ns);
	m->counting = true;
}

void memory_end_counts(struct memory *m)
{
	m->counting = false;
}

static void enter_slice(struct memory *m, int i)
{
	if (!m->vcpu[i].in_slice) {
		bw_slice_begin(&m->bw, i);
		m->vcpu[i].in_slice = true;
	}
}

static void write_back(struct memory *m, int i, uint64_t way, int64_t now)
{
	int node = nodemap_node(&m->map, cache_line(way) << CACHE_LINE_SHIFT);

	enter_slice(m, i);
	m->vcpu[i].counts.node[node].writeback++;
	if (m->counting)
		hmu_access(&m->hmu.node[node], cache_line(way) << CACHE_LINE_SHIFT, true);
	bw_write(&m->bw, i, node, now);
}

/* @line enters the second level; true if it was there. */
static bool access_l2(struct memory *m, int i, uint64_t line, bool store, int64_t now)
{
	struct memory_vcpu *v = &m->vcpu[i];
	uint64_t victim;

	if (cache_access(&v->l2, line, store, &victim))
		return true;
	if (cache_dirty(victim) && !cache_mark_dirty(v->llc, cache_line(victim)))
		write_back(m, i, victim, now);
	return false;
}

static void use_page(struct memory *m, uint64_t off, int node)
{
	m->page[off >> MEMORY_PAGE_SHIFT]++;
	frames_use(&m->frames, off >> MEMORY_PAGE_SHIFT, node);
	heat_use(&m->heat, off);
}

static int64_t access_node(struct memory *m, int i, uint64_t off, uint64_t vaddr, bool store,
			   bool kernel, int64_t now)
{
	int node = nodemap_node(&m->map, off);
	struct memory_vcpu *v = &m->vcpu[i];
	struct memory_node_counts *counts = &v->counts.node[node];
	bool streamed = stream_miss(&v->streams, vaddr >> CACHE_LINE_SHIFT);
	int64_t queue;

	enter_slice(m, i);
	queue = bw_read(&m->bw, i, node, now, streamed);
	v->counts.queue_ps += queue;
	counts->miss[kernel][store]++;
	counts->streamed += streamed;
	if (m->counting)
		hmu_access(&m->hmu.node[node], off, false);
	if (!kernel || !store) {
		counts->hot += vaddr - m->hot_first < m->hot_bytes;
		if (m->counting)
			use_page(m, off, node);
	}
	if (streamed)
		return queue + v->streamed_ps[node];
	return overlap_miss(&v->overlap, vaddr, queue + v->latency_ps[node]);
}

int64_t memory_access(struct memory *m, int i, enum l1_result l1, uint64_t off,
		      uint64_t vaddr, bool store, bool kernel, int64_t now)
{
	uint64_t line = off >> CACHE_LINE_SHIFT, victim;
	struct memory_vcpu *v = &m->vcpu[i];
	int64_t stall;

	/* The data is in the first level: only the dirty bit has to go down. */
	if (l1 == L1_MADE_DIRTY) {
		access_l2(m, i, line, true, now);
		return 0;
	}
	if (access_l2(m, i, line, store, now)) {
		stall = m->l2_ps;
	} else if (cache_access(v->llc, line, false, &victim)) {
		stall = m->llc_ps;
	} else {
		if (cache_dirty(victim))
			write_back(m, i, victim, now);
		stall = access_node(m, i, off, vaddr, store, kernel, now);
	}
	v->counts.stall_ps += stall;
	return stall;
}

int64_t memory_walk_read(struct memory *m, int i, uint64_t off, int64_t now)
{
	uint64_t line = off >> CACHE_LINE_SHIFT, victim;
	struct memory_vcpu *v = &m->vcpu[i];
	int64_t stall, queue;
	int node;

	if (access_l2(m, i, line, false, now)) {
		stall = m->l2_ps;
	} else if (cache_access(v->llc, line, false, &victim)) {
		stall = m->llc_ps;
	} else {
		if (cache_dirty(victim))
			write_back(m, i, victim, now);
		node = nodemap_node(&m->map, off);
		enter_slice(m, i);
		queue = bw_read(&m->bw, i, node, now, false);
		v->counts.queue_ps += queue;
		v->counts.node[node].walk++;
		if (m->counting)
			hmu_access(&m->hmu.node[node], off, false);
		stall = queue + v->latency_ps[node];
	}
	v->counts.stall_ps += stall;
	v->counts.translate_ps += stall;
	return stall;
}

void memory_copied(struct memory *m, int i, uint64_t from, uint64_t to)
{
	m->vcpu[i].counts.copies[nodemap_node(&m->map, from)][nodemap_node(&m->map, to)]++;
}

void memory_slice_end(struct memory *m, int i, int64_t ps)
{
	bw_slice_end(&m->bw, i, ps);
	m->vcpu[i].in_slice = false;
}

void memory_stop(struct memory *m, int i)
{
	bw_stop(&m->bw, i);
	m->vcpu[i].in_slice = false;
}
