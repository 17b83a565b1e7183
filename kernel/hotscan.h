/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding what is ready: one bit for each section, then one for each line, then the
 * records of that line, eight bytes at a time. What is not ready costs one word for
 * each 64 sections.
 */
#ifndef PGHOT_HOTSCAN_H
#define PGHOT_HOTSCAN_H

#include <linux/bitops.h>
#include <linux/sched.h>

#include "hotmap.h"

/**
 * typedef hotscan_visit - what to do with a ready record
 *
 * Takes the caller's argument, the section, and the number of the record in it. May
 * sleep. Returns true if the record stays ready.
 */
typedef bool hotscan_visit(void *arg, struct hot_section *section, unsigned int index);

static __always_inline bool hotscan_line(const struct rec_format *f, struct hot_section *section,
					 unsigned int line, hotscan_visit visit, void *arg)
{
	unsigned int index = line * REC_LINE, end = index + REC_LINE, per_word = 8 / f->bytes;
	u64 mask = f->bytes == 1 ? f->ready * 0x0101010101010101ull :
				   f->ready * 0x0000000100000001ull;
	bool kept = false;

	for (; index < end; index += per_word) {
		u64 ready = hotmap_word(f, section, index) & mask;

		for (; ready; ready &= ready - 1)
			kept |= visit(arg, section, index + __ffs64(ready) / (8 * f->bytes));
	}
	return kept;
}

static __always_inline bool hotscan_section(const struct rec_format *f,
					    struct hot_section *section, hotscan_visit visit,
					    void *arg)
{
	bool kept = false;
	unsigned long line;

	for_each_set_bit(line, section->ready, HOT_LINES) {
		if (!test_and_clear_bit(line, section->ready))
			continue;
		if (hotscan_line(f, section, line, visit, arg)) {
			set_bit(line, section->ready);
			kept = true;
		}
		cond_resched();
	}
	return kept;
}

static __always_inline bool hotscan_block(const struct rec_format *f, struct hot_node *node,
					  struct hot_block *block, hotscan_visit visit, void *arg)
{
	bool kept = false;
	unsigned long nr;

	for_each_set_bit(nr, block->ready, HOT_BLOCK) {
		struct hot_section *section;

		down_read(&node->sections);
		section = rcu_dereference_protected(block->section[nr],
						    lockdep_is_held(&node->sections));
		/* Neighbours may be another node's. */
		if (section && section->node == node &&
		    test_and_clear_bit(nr, block->ready) &&
		    hotscan_section(f, section, visit, arg)) {
			set_bit(nr, block->ready);
			kept = true;
		}
		up_read(&node->sections);
	}
	return kept;
}

/**
 * hotscan() - visit all ready records of a node
 * @f: format
 * @node: the node
 * @visit: called for each, directly: it is inlined here
 * @arg: passed to @visit
 *
 * Process context, sleeps. Sections are not taken out of the map meanwhile. One scan
 * of a node at a time. Records that become ready meanwhile are visited, or leave
 * their bits for the next scan.
 *
 * Return: true if a ready record stays.
 */
static __always_inline bool hotscan(const struct rec_format *f, struct hot_node *node,
				    hotscan_visit visit, void *arg)
{
	bool kept = false;
	unsigned long nr;

	for (nr = node->first; nr <= node->last; nr++) {
		if (hot_blocks[nr])
			kept |= hotscan_block(f, node, hot_blocks[nr], visit, arg);
	}
	return kept;
}

#endif /* PGHOT_HOTSCAN_H */
