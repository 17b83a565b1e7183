// SPDX-License-Identifier: GPL-2.0
/* memory: the levels put together, by accesses whose way is known. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "sources/chmu/layout.h"

#define MB		(UINT64_C(1) << 20)
#define FAR		(64 * MB)	/* RAM offset of node 1 */
#define L2_PS		4000
#define LLC_PS		15000
#define NEAR_PS		80000
#define FAR_PS		250000
#define STREAMS		10

static struct memory m;
static int64_t now;

static void no_machine(void)
{
	int i;

	for (i = 0; i < m.nr_vcpus; i++) {
		cache_free(&m.vcpu[i].l1);
		cache_free(&m.vcpu[i].l2);
		cache_free(&m.llc[i]);
	}
	if (m.page) {
		munmap(m.page, m.nr_pages * sizeof(*m.page));
		munmap(m.frames.used_in, m.nr_pages * sizeof(*m.frames.used_in));
		heat_free(&m.heat);
	}
}

/* Two nodes with a CPU each, caches of 1, 4 and 16 KiB. */
static void machine(void)
{
	static struct config cfg;

	no_machine();
	memset(&cfg, 0, sizeof(cfg));
	cfg.below4g = 128 * MB;
	cfg.nr_nodes = 2;
	cfg.nr_cpus = 2;
	cfg.node_bytes[0] = 64 * MB;
	cfg.node_bytes[1] = 64 * MB;
	cfg.node_mbps[0] = 100000;
	cfg.node_mbps[1] = 100000;
	cfg.cpu_node[1] = 1;
	cfg.latency_ns[0][0] = NEAR_PS / 1000;
	cfg.latency_ns[0][1] = FAR_PS / 1000;
	cfg.latency_ns[1][0] = FAR_PS / 1000;
	cfg.latency_ns[1][1] = NEAR_PS / 1000;
	cfg.l1 = (struct config_cache){ 1024, 2, 0 };
	cfg.l2 = (struct config_cache){ 4096, 4, L2_PS / 1000 };
	cfg.llc = (struct config_cache){ 16384, 16, LLC_PS / 1000 };
	cfg.streams = STREAMS;
	CHECK(memory_init(&m, &cfg));
	now = 0;
}

/* One access of vCPU @i, virtual address equal to the RAM offset. */
static int64_t touch(int i, uint64_t off, bool store)
{
	enum l1_result l1 = memory_l1(&m.vcpu[i], off, store);
	int64_t stall = 0;

	if (l1 != L1_HIT)
		stall = memory_access(&m, i, l1, off, off, store, false, now);
	now += stall + 1000000;
	return stall;
}

static const struct memory_node_counts *node(int i, int n)
{
	return &m.vcpu[i].counts.node[n];
}

static void levels(void)
{
	int n;

	machine();
	memory_begin_counts(&m, 10, 0);
	CHECK(touch(0, 0, false) == NEAR_PS);
	CHECK(touch(0, 8, false) == 0);
	CHECK(touch(0, 63, true) == 0);
	CHECK(node(0, 0)->miss[0][0] == 1 && node(0, 0)->miss[0][1] == 0);
	CHECK(touch(0, FAR, true) == FAR_PS);
	CHECK(node(0, 1)->miss[0][1] == 1);
	CHECK(touch(1, FAR + 64, false) == NEAR_PS);
	CHECK(touch(1, 64, false) == FAR_PS);
	CHECK(node(1, 0)->miss[0][0] == 1 && node(1, 1)->miss[0][0] == 1);
	CHECK(m.page[0] == 2 && m.page[FAR >> 12] == 2);

	/* Out of L1 but in L2; out of L2 but in the last level. */
	machine();
	for (n = 0; n < 3; n++)
		touch(0, n * 4096, false);
	CHECK(touch(0, 0, false) == L2_PS);
	for (n = 3; n < 8; n++)
		touch(0, n * 4096, false);
	CHECK(touch(0, 0, false) == LLC_PS);
	CHECK(node(0, 0)->miss[0][0] == 8);
	CHECK(m.vcpu[0].counts.queue_ps == 0);
}

/* Each dirty line is written back exactly once after enough others have come. */
static void write_backs(void)
{
	int lines = 64, n;

	machine();
	for (n = 0; n < lines; n++)
		touch(0, n * 8192, n % 2);
	for (n = 0; n < 4096; n++)
		touch(0, FAR + (n * 37 % 4096) * 64, false);
	CHECK(node(0, 0)->writeback == (uint64_t)lines / 2);
	CHECK(node(0, 1)->writeback == 0);

	/* Made dirty by a hit in the first level, after a clean fill. */
	machine();
	touch(0, 0, false);
	CHECK(touch(0, 0, true) == 0);
	for (n = 0; n < 4096; n++)
		touch(0, FAR + (n * 37 % 4096) * 64, false);
	CHECK(node(0, 0)->writeback == 1);
}

static void streams(void)
{
	int64_t stall;
	int n;

	machine();
	for (n = 0; n < 1000; n++) {
		stall = touch(0, FAR + n * 64, false);
		if (n < 3 || n % 64 == 0)
			CHECK(stall == FAR_PS);
		else
			CHECK(stall == FAR_PS / STREAMS);
	}
	CHECK(node(0, 1)->streamed == 1000 - 3 - 1000 / 64);
	CHECK(node(0, 1)->miss[0][0] == 1000);
}

/* Counts add up over a random run: misses by node are the page counts' sums. */
static void sums(void)
{
	uint64_t misses[2] = { 0 }, pages[2] = { 0 }, stall = 0, counted = 0, p;
	int n, i;

	machine();
	memory_begin_counts(&m, 10, 0);
	for (n = 0; n < 200000; n++) {
		i = rand() % 2;
		stall += touch(i, rand() % (128 * MB), rand() % 2);
		if (!(n % 100))
			memory_slice_end(&m, i, 100000000);
	}
	for (i = 0; i < 2; i++) {
		counted += m.vcpu[i].counts.stall_ps;
		for (n = 0; n < 2; n++)
			misses[n] += node(i, n)->miss[0][0] + node(i, n)->miss[0][1];
	}
	for (p = 0; p < m.nr_pages; p++)
		pages[p >= FAR >> 12] += m.page[p];
	CHECK(misses[0] == pages[0] && misses[1] == pages[1]);
	CHECK(misses[0] > 90000 && misses[1] > 90000);
	CHECK(stall == counted);
	memory_begin_counts(&m, 10, 0);
	CHECK(!m.vcpu[0].counts.stall_ps && !m.page[0] && !node(1, 1)->miss[0][0]);
}

/* Pages are counted between begin and end, but the kernel's stores never. */
static void page_uses(void)
{
	uint64_t off = 0;
	int use;

	machine();
	touch(0, off, false);
	CHECK(m.page[0] == 0);
	memory_begin_counts(&m, 10, 0);
	for (use = 0; use < 4; use++) {
		off += CACHE_LINE;
		memory_access(&m, 0, L1_MISS, off, off, use & 1, use & 2, now);
	}
	CHECK(m.page[0] == 3);
	CHECK(node(0, 0)->miss[1][1] == 1 && node(0, 0)->miss[1][0] == 1);
	memory_end_counts(&m);
	touch(0, off + CACHE_LINE, false);
	CHECK(m.page[0] == 3);
	CHECK(node(0, 0)->miss[0][0] == 2);
}

/* Of 256 lines the hot range has the second 64, by virtual address. */
static void hot_range(void)
{
	const uint64_t base = UINT64_C(0xffff888000000000);
	uint64_t off;
	int use;

	for (use = 0; use < 4; use++) {
		machine();
		m.hot_first = base + 64 * CACHE_LINE;
		m.hot_bytes = 64 * CACHE_LINE;
		for (off = 0; off < 256 * CACHE_LINE; off += CACHE_LINE)
			memory_access(&m, 0, L1_MISS, FAR + off, base + off, use & 1, use & 2, now);
		CHECK(node(0, 1)->hot == (use == 3 ? 0 : 64));
		CHECK(node(0, 0)->hot == 0);
	}
	machine();
	touch(0, 0, false);
	CHECK(node(0, 0)->hot == 0);
}

/* A device's access leaves nothing behind. */
static void devices(void)
{
	machine();
	CHECK(memory_l1(&m.vcpu[0], 0xfee00300, true) == L1_MISS);
	memory_not_cached(&m.vcpu[0], 0xfee00300);
	CHECK(memory_l1(&m.vcpu[0], 0xfee00300, true) == L1_MISS);
}

/* The monitoring unit counts what its node serves: lines read, lines written back. */
static void monitored(void)
{
	const struct hmu_config cfg = {
		.unit = 4096, .epoch_us = 100, .threshold = 1, .sampling = 1, .entries = 1000,
	};
	uint8_t *shared = malloc(hmu_bytes(&cfg, 1));
	struct hmu_instance *i = &m.hmu.node[1];
	uint64_t counted = 0, n;

	machine();
	CHECK(hmu_init(&m.hmu, &cfg, &m.map, 2, shared));
	*(uint64_t *)(i->regs + CHMU_CFG0) |= CHMU_CFG0_ENABLE;
	hmu_look(&m.hmu, 0);
	/* What is before is nobody's business. */
	for (n = 0; n < 500; n++)
		touch(0, FAR + n * 64, false);
	memory_begin_counts(&m, 10, 0);
	for (n = 0; n < 5000; n++)
		touch(0, (rand() % 2 ? FAR : 0) + rand() % (MB / 2), rand() % 2);
	hmu_look(&m.hmu, 100000);
	for (n = 0; n < *(uint16_t *)(i->regs + CHMU_TAIL); n++)
		counted += *(uint64_t *)(i->regs + i->list + n * 8) & HMU_COUNT_MAX;
	CHECK(node(0, 1)->writeback > 500);
	CHECK(counted == node(0, 1)->miss[0][0] + node(0, 1)->miss[0][1] + node(0, 1)->writeback);
	hmu_free(&m.hmu);
	memset(&m.hmu, 0, sizeof(m.hmu));
	free(shared);
}

int main(void)
{
	srand(7);
	levels();
	write_backs();
	streams();
	sums();
	page_uses();
	hot_range();
	devices();
	monitored();
	no_machine();
	return check_report();
}
