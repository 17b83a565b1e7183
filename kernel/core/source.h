/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources of hotness: whatever tells pghot that a page was accessed.
 *
 * A source is a folder of sources/, which describes itself by a struct pghot_source.
 */
#ifndef PGHOT_CORE_SOURCE_H
#define PGHOT_CORE_SOURCE_H

#include <linux/compiler_attributes.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "core/counter.h"
#include "core/part.h"
#include "pghot.h"

/* Longest text of the reason why a source is not available. */
#define SOURCE_REASON	160

/**
 * struct pghot_source - a source of hotness
 * @name: its name in traces and tables
 * @title: what the log calls it
 * @bit: its place in enabled_sources, below PGHOT_MAX_SRC
 * @on_at_load: it is on if the administrator says nothing
 * @takes_hint_faults: while it is on, the kernel promotes nothing in hint faults itself
 * @start: has it report accesses. Returns 0, or why it cannot, having called
 *	pghot_source_unavailable() or without memory; nothing is left behind then. NULL for a
 *	source that needs nothing to be done
 * @stop: ends that. On return nothing of it is running, or inside pghot
 * @forget: forgets what was set by the part's files; called when the module goes and the
 *	source is off. NULL for none
 * @part: what it shows: tunables, counters and files
 * @reason: why it could not be started the last time, or empty
 *
 * @start, @stop and @forget run in process context and may sleep, one at a time.
 */
struct pghot_source {
	const char *name;
	const char *title;
	unsigned int bit;
	bool on_at_load;
	bool takes_hint_faults;
	int (*start)(void);
	void (*stop)(void);
	void (*forget)(void);
	struct pghot_part part;
	char reason[SOURCE_REASON];
};

/* Accesses that each source has reported. */
DECLARE_PER_CPU(unsigned long [PGHOT_MAX_SRC], pghot_recorded);

/**
 * PGHOT_RECORDED() - define the counter of what a source has reported
 * @_name: name of the counter, which begins with "recorded"
 * @_bit: the source's place in enabled_sources
 */
#define PGHOT_RECORDED(_name, _bit)					\
	PGHOT_DECLARE_COUNTER(_name);					\
	const struct pghot_counter pghot_counter_##_name = {		\
		.name = #_name,						\
		.nr = &pghot_recorded[_bit],				\
	}

extern struct tunable pghot_enabled_sources;

extern const struct textfile pghot_sources_file;

int pghot_source_register(struct pghot_source *source);
int pghot_sources_set(unsigned int mask);
void pghot_sources_forget(void);
bool pghot_sources_take_hint_faults(void);
const char *pghot_source_name(unsigned int bit);
__printf(2, 3) void pghot_source_unavailable(struct pghot_source *source, const char *reason, ...);

#endif /* PGHOT_CORE_SOURCE_H */
