/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Sources of hotness
 *
 * A source is whatever tells pghot that a page was accessed. It is a folder of sources/, which
 * describes itself by a struct pghot_source.
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
 * @takes_hint_faults: while it is on, the kernel promotes nothing in hint faults itself
 * @is_seldom: it reports even a hot page so seldom that one access has to make it ready
 * @wanted: should the policy have it on, on this machine? NULL for no, on any machine
 * @start: has it report accesses. Returns 0 or -errno; then nothing is left behind, and it has
 *	called pghot_source_unavailable() with the reason, unless only memory was missing. NULL
 *	for a source that needs nothing to be done
 * @stop: ends that. On return nothing of it is running, or inside pghot
 * @forget: forgets what was set by the part's files; called when the module goes and the
 *	source is off. NULL for none
 * @part: what it shows: tunables, counters and files
 * @reason: why it could not be started the last time, or empty. If @start gave no reason, it is
 *	the error
 *
 * @start, @stop and @forget run in process context and may sleep, one at a time.
 */
struct pghot_source {
	const char *name;
	const char *title;
	unsigned int bit;
	bool takes_hint_faults;
	bool is_seldom;
	bool (*wanted)(void);
	int (*start)(void);
	void (*stop)(void);
	void (*forget)(void);
	struct pghot_part part;
	char reason[SOURCE_REASON];
};

/**
 * pghot_source_always() - for @wanted of a source that the policy has on, on any machine
 */
static inline bool pghot_source_always(void)
{
	return true;
}

/* For the file that defines a source: its functions use it before its definition. */
#define PGHOT_DECLARE_SOURCE(_name)	extern struct pghot_source pghot_##_name##_source

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
void pghot_sources_set_wanted(void);
void pghot_sources_on_choice(int (*choose)(unsigned int mask));
void pghot_sources_forget(void);
bool pghot_sources_take_hint_faults(void);
__printf(2, 3) void pghot_source_unavailable(struct pghot_source *source, const char *reason, ...);

#endif /* PGHOT_CORE_SOURCE_H */
