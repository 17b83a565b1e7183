// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The idle pages of fast nodes, in rings
 *
 * Idle pages of fast nodes: a ring for each node, of page frame numbers. Nobody holds a page
 * that is in a ring: who takes one out has to look what it is by then.
 */
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "core/cold.h"
#include "pghot.h"
#include "testing/inject.h"

/* Folios that a node remembers. The oldest give way to new ones. */
#define COLD_MAX	8192u
/*
 * Base pages that a node needs to have to take no more of those that were idle for a moment only.
 * They make do where all is used now and then.
 */
#define COLD_ENOUGH	2048u
/* How long a folio that was found idle is believed to be so, ns. */
#define COLD_KEEP	(2ull * NSEC_PER_SEC)

/**
 * struct cold_folio - a folio that was found idle
 * @pfn: its first page
 * @nr: its size, base pages
 * @when: when it was found, by pghot_clock()
 */
struct cold_folio {
	unsigned long pfn;
	unsigned int nr;
	u64 when;
};

/**
 * struct cold_ring - the idle folios of a node
 * @lock: held by whoever changes any of it
 * @first: number of the oldest entry, of all that were ever put in
 * @end: number after that of the newest one
 * @pages: base pages of the folios in it; read without the lock, too
 * @folio: the entries, by their numbers modulo COLD_MAX
 */
struct cold_ring {
	spinlock_t lock; /* of all of it */
	unsigned int first;
	unsigned int end;
	unsigned int pages;
	struct cold_folio folio[COLD_MAX];
};

/* By node id and size: small folios, and huge ones. */
static struct cold_ring (*rings)[2];

/**
 * pghot_cold_init() - make the rings
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_cold_init(void)
{
	int nid, huge;

	rings = inject_alloc(NULL, kvcalloc(nr_node_ids, sizeof(*rings), GFP_KERNEL));
	if (!rings)
		return -ENOMEM;
	for (nid = 0; nid < nr_node_ids; nid++)
		for (huge = 0; huge < 2; huge++)
			spin_lock_init(&rings[nid][huge].lock);
	return 0;
}

/**
 * pghot_cold_exit() - free the rings
 *
 * Process context, sleeps. Nobody offers or takes any more.
 */
void pghot_cold_exit(void)
{
	kvfree(rings);
}

/* The ring is locked. Others read this without the lock. */
static void set_pages(struct cold_ring *ring, unsigned int pages)
{
	WRITE_ONCE(ring->pages, pages);
}

/* The ring is locked, and not empty. */
static struct cold_folio remove_first(struct cold_ring *ring)
{
	struct cold_folio first = ring->folio[ring->first++ % COLD_MAX];

	set_pages(ring, ring->pages - first.nr);
	return first;
}

/**
 * pghot_cold_offer() - say that a folio of a fast node is idle
 * @pfn: its first page; the caller keeps the folio from being freed
 * @nr: its size, base pages
 * @long_idle: it was not used for much longer than others that are offered
 *
 * Any context but interrupts, under the lock of a page table. If the node has enough of them,
 * the one that has been there longest is forgotten, unless it was found just before.
 */
void pghot_cold_offer(unsigned long pfn, unsigned int nr, bool long_idle)
{
	struct cold_ring *ring = &rings[pfn_to_nid(pfn)][nr >= HPAGE_PMD_NR];
	const struct cold_folio new = { .pfn = pfn, .nr = nr, .when = pghot_clock() };

	spin_lock(&ring->lock);
	if (ring->end - ring->first == COLD_MAX &&
	    new.when - ring->folio[ring->first % COLD_MAX].when >= COLD_KEEP / 2)
		remove_first(ring);
	if (ring->end - ring->first < COLD_MAX && (long_idle || ring->pages < COLD_ENOUGH)) {
		ring->folio[ring->end++ % COLD_MAX] = new;
		set_pages(ring, ring->pages + new.nr);
	}
	spin_unlock(&ring->lock);
}

/**
 * pghot_cold_take() - take an idle folio out
 * @nid: its node
 * @huge: a huge one
 * @pfn: where to leave the number of its first page
 *
 * Process context. It was idle COLD_KEEP ago at the earliest. Nothing else is known of it.
 *
 * Return: false if there is none.
 */
bool pghot_cold_take(int nid, bool huge, unsigned long *pfn)
{
	struct cold_ring *ring = &rings[nid][huge];
	u64 now = pghot_clock();
	bool found = false;

	spin_lock(&ring->lock);
	while (!found && ring->first != ring->end) {
		struct cold_folio first = remove_first(ring);

		*pfn = first.pfn;
		found = now - min(now, first.when) <= COLD_KEEP;
	}
	spin_unlock(&ring->lock);
	return found;
}

/**
 * pghot_cold_pages() - how much of a node is known to be idle
 * @nid: the node
 * @huge: in huge pages
 *
 * Any context.
 *
 * Return: base pages, of which some may have been found idle too long ago.
 */
unsigned int pghot_cold_pages(int nid, bool huge)
{
	return READ_ONCE(rings[nid][huge].pages);
}
