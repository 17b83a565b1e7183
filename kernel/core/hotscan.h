/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Finding ready records
 *
 * A node has one bit for each section, a section has one bit for each line of records, and the
 * records of a line are read eight bytes at a time. Where nothing is ready, a scan reads the same
 * few words however large memory is, because sections of larger nodes share bits.
 *
 * A scan begins where the last scan of its queue ended. So all records get their turn even if each
 * scan ends early.
 */
#ifndef PGHOT_CORE_HOTSCAN_H
#define PGHOT_CORE_HOTSCAN_H

#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/sched.h>

#include "core/hotmap.h"

/**
 * enum hotscan_verdict - what became of a ready record
 * @HOTSCAN_DONE: it is not ready any more
 * @HOTSCAN_KEPT: it stays ready, and waits
 * @HOTSCAN_STOP: it stays as it is, and the scan ends here
 */
enum hotscan_verdict {
	HOTSCAN_DONE,
	HOTSCAN_KEPT,
	HOTSCAN_STOP,
};

/**
 * typedef hotscan_visit - what to do with a ready record
 * @arg: what the caller of hotscan() has passed
 * @section: the section that the record is in
 * @index: number of the record in it
 *
 * It may sleep.
 */
typedef enum hotscan_verdict hotscan_visit(void *arg, struct hot_section *section,
					   unsigned int index);

/**
 * struct hotscan - one scan of a node
 * @f: format
 * @node: the node
 * @queue: which of its ready records
 * @visit: called for each, directly: it is inlined here
 * @arg: passed to @visit
 */
struct hotscan {
	const struct rec_format *f;
	struct hot_node *node;
	enum hot_queue queue;
	hotscan_visit *visit;
	void *arg;
};

/* The last place of all. */
#define HOT_PLACE_END	((struct hot_place){ .nr = ULONG_MAX, .line = HOT_LINES })

/* The first bit that is set, from @from on; @end, or more, if there is none. */
static __always_inline unsigned long hotscan_next(const unsigned long *ready, unsigned long end,
						  unsigned long from)
{
	/*
	 * This reads plainly, and recorders set bits meanwhile. A bit that comes too late to be
	 * seen is not lost: who sets it then sets the bit of its section, and then says that
	 * something is pending.
	 */
	return data_race(find_next_bit(ready, end, from));
}

/* Returns true if the scan ends in this line. */
static __always_inline bool hotscan_line(const struct hotscan *s, struct hot_section *section,
					 unsigned int line)
{
	unsigned int index = line * REC_LINE, end = index + REC_LINE, per_word = 8 / s->f->bytes;
	u64 mask = s->f->bytes == 1 ? s->f->ready * 0x0101010101010101ull :
				      s->f->ready * 0x0000000100000001ull;
	enum hotscan_verdict verdict = HOTSCAN_DONE;
	bool kept = false;

	for (; index < end && verdict != HOTSCAN_STOP; index += per_word) {
		u64 ready = hotmap_word(s->f, section, index) & mask;

		for (; ready && verdict != HOTSCAN_STOP; ready &= ready - 1) {
			verdict = s->visit(s->arg, section,
					   index + __ffs64(ready) / (8 * s->f->bytes));
			kept |= verdict == HOTSCAN_KEPT;
		}
	}
	if (kept)
		set_bit(line, section->ready[HOT_WAITING]);
	if (verdict != HOTSCAN_STOP)
		return false;
	set_bit(line, section->ready[s->queue]);
	s->node->next[s->queue] = (struct hot_place){ .nr = section->nr, .line = line };
	return true;
}

static __always_inline bool hotscan_section(const struct hotscan *s, struct hot_section *section,
					    unsigned int from, unsigned int to)
{
	unsigned long *ready = section->ready[s->queue], line;

	for (line = hotscan_next(ready, to, from); line < to;
	     line = hotscan_next(ready, to, line + 1)) {
		if (test_and_clear_bit(line, ready) && hotscan_line(s, section, line))
			return true;
		cond_resched();
	}
	return false;
}

static __always_inline bool hotscan_has(const struct hot_section *section, enum hot_queue queue)
{
	return hotscan_next(section->ready[queue], HOT_LINES, 0) < HOT_LINES;
}

/*
 * Lines from @from up to @to, of the sections of the node whose ready bit this is. The bit
 * was cleared, and is set again if some line is left.
 */
static __always_inline bool hotscan_bit(const struct hotscan *s, unsigned long bit,
					struct hot_place from, struct hot_place to)
{
	unsigned long nr = from.nr % HOT_READY == bit ? from.nr : bit;
	bool end_here = to.nr % HOT_READY == bit && to.nr != ULONG_MAX;
	bool stop = false, left = nr != bit;

	for (; nr < READ_ONCE(s->node->end) && !stop; nr += HOT_READY) {
		struct hot_section *section;

		if (end_here && nr > to.nr) {
			left = true;
			break;
		}
		down_read(&s->node->sections);
		rcu_read_lock();
		section = hotmap_section(nr);
		/* One of another node may be freed as soon as this ends: leave it alone. */
		if (section && section->node != s->node)
			section = NULL;
		rcu_read_unlock();
		if (section) {
			stop = hotscan_section(s, section, nr == from.nr ? from.line : 0,
					       end_here && nr == to.nr ? to.line : HOT_LINES);
			left |= hotscan_has(section, s->queue);
			if (hotscan_has(section, HOT_WAITING))
				set_bit(bit, s->node->ready[HOT_WAITING]);
		}
		up_read(&s->node->sections);
	}
	if (left || stop)
		set_bit(bit, s->node->ready[s->queue]);
	return stop;
}

static __always_inline bool hotscan_between(const struct hotscan *s, struct hot_place from,
					    struct hot_place to)
{
	unsigned long *ready = s->node->ready[s->queue], bit;
	unsigned long end = to.nr == ULONG_MAX ? HOT_READY : to.nr % HOT_READY + 1;

	for (bit = hotscan_next(ready, end, from.nr % HOT_READY); bit < end;
	     bit = hotscan_next(ready, end, bit + 1)) {
		if (test_and_clear_bit(bit, ready) && hotscan_bit(s, bit, from, to))
			return true;
	}
	return false;
}

/**
 * hotscan() - visit the ready records of a queue of a node
 * @f: format
 * @node: the node
 * @queue: which of its ready records; others of the same lines are visited, too
 * @visit: called for each, directly: it is inlined here
 * @arg: passed to @visit
 *
 * Process context, sleeps. Sections are not taken out of the map meanwhile. One scan
 * of a node at a time. Records that become ready meanwhile are visited, or leave
 * their bits for the next scan. The next scan of the queue begins where this one was
 * stopped, or where this one began.
 *
 * Return: true if @visit ended the scan before all had been visited.
 */
static __always_inline bool hotscan(const struct rec_format *f, struct hot_node *node,
				    enum hot_queue queue, hotscan_visit visit, void *arg)
{
	const struct hotscan s = {
		.f = f, .node = node, .queue = queue, .visit = visit, .arg = arg,
	};
	const struct hot_place start = node->next[queue];

	return hotscan_between(&s, start, HOT_PLACE_END) ||
	       hotscan_between(&s, (struct hot_place){ }, start);
}

/**
 * hotscan_any() - does a queue of a node hold anything?
 * @node: the node
 * @queue: the queue
 *
 * Process context. Lines without a ready record may be in it, too.
 */
static inline bool hotscan_any(const struct hot_node *node, enum hot_queue queue)
{
	return hotscan_next(node->ready[queue], HOT_READY, 0) < HOT_READY;
}

#endif /* PGHOT_CORE_HOTSCAN_H */
