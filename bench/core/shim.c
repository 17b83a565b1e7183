// SPDX-License-Identifier: GPL-2.0
/*
 * What the module's files find in the kernel, and in the rest of the module, as far as
 * the headers in include/ do not have it inline.
 */
#include <linux/membarrier.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "core/mode.h"
#include "core/nodestat.h"
#include "core/recmem.h"
#include "core/rule.h"
#include "core/source.h"
#include "core/tunable.h"
#include "pghot.h"

DEFINE_STATIC_KEY_FALSE(pghot_precise);

DEFINE_PER_CPU(unsigned long [PGHOT_MAX_SRC], pghot_recorded);
struct node_stats *pghot_node_stats;

struct tunable pghot_enabled_sources = { .value = BIT(PGHOT_MAX_SRC) - 1 };
struct rec_rule pghot_rule;

u64 shim_clock;
unsigned long shim_bytes;
struct page *mem_map;

struct rcu_reader rcu_readers[RCU_MAX_THREADS];
__thread unsigned int rcu_thread;
void (*rcu_unlocked)(void);

unsigned long find_next_bit(const unsigned long *addr, unsigned long size, unsigned long nr)
{
	unsigned long at = BIT_WORD(nr), word;

	if (nr >= size)
		return size;
	word = READ_ONCE(addr[at]) & ~0ul << nr % BITS_PER_LONG;
	while (!word) {
		if (++at * BITS_PER_LONG >= size)
			return size;
		word = READ_ONCE(addr[at]);
	}
	nr = at * BITS_PER_LONG + __builtin_ctzl(word);
	return nr < size ? nr : size;
}

static void membarrier(int command)
{
	if (syscall(SYS_membarrier, command, 0, 0)) {
		perror("membarrier");
		abort();
	}
}

void synchronize_rcu(void)
{
	unsigned int i;

	membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
	membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	for (i = 0; i < RCU_MAX_THREADS; i++) {
		unsigned long count = READ_ONCE(rcu_readers[i].count);

		while (count & 1 && READ_ONCE(rcu_readers[i].count) == count)
			usleep(10);
	}
	membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

static void *or_exit(void *p)
{
	if (!p) {
		perror("shim: memory");
		exit(1);
	}
	return p;
}

void *shim_kzalloc(size_t size)
{
	shim_bytes += 1ul << (64 - __builtin_clzl(size - 1));
	return or_exit(calloc(1, size));
}

void shim_kfree(void *p)
{
	free(p);
}

void *pghot_recmem_alloc(size_t size, int nid)
{
	void *p = or_exit(memalign(PAGE_SIZE, size));

	shim_bytes += ALIGN(size, PAGE_SIZE);
	/* Also so that no page fault comes later. */
	return memset(p, 0, size);
}

void pghot_recmem_free(void *p, size_t size)
{
	free(p);
}

void pghot_recmem_exit(void)
{
}
