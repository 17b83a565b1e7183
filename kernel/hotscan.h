/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding what is ready: one bit for each section, then one for each line, then the
 * records of that line, eight bytes at a time. Where nothing is ready that takes the same
 * few words whatever the size of memory, as sections of larger nodes share bits.
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

/* All sections of the node whose ready bit this is. */
static __always_inline bool hotscan_bit(const struct rec_format *f, struct hot_node *node,
					unsigned long bit, hotscan_visit visit, void *arg)
{
	bool kept = false;
	unsigned long nr;

	for (nr = bit; nr < READ_ONCE(node->end); nr += HOT_READY) {
		struct hot_section *section;

		down_read(&node->sections);
		rcu_read_lock();
		section = hotmap_section(nr);
		rcu_read_unlock();
		if (section && section->node == node)
			kept |= hotscan_section(f, section, visit, arg);
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
	unsigned long bit;

	for_each_set_bit(bit, node->ready, HOT_READY) {
		if (test_and_clear_bit(bit, node->ready) &&
		    hotscan_bit(f, node, bit, visit, arg)) {
			set_bit(bit, node->ready);
			kept = true;
		}
	}
	return kept;
}

#endif /* PGHOT_HOTSCAN_H */
