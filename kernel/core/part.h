/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What the parts of pghot show to administrators
 *
 * A part is the core, promotion, or a source of hotness. It names its tunables, counters, trace
 * events and text files, and registers itself. The files in sysfs, sysctl and debugfs are made
 * from what is registered. So a part knows nothing of these files, and they know nothing of the
 * parts.
 */
#ifndef PGHOT_CORE_PART_H
#define PGHOT_CORE_PART_H

#include <linux/list.h>
#include <linux/types.h>

struct pghot_counter;
struct textfile;
struct tracepoint;
struct tunable;

/**
 * struct pghot_part - what a part of pghot shows
 * @tunables: its tunables, the last followed by NULL; or NULL for none
 * @counters: its counters, likewise
 * @events: its trace events, likewise. The kernel shows them by itself; they are named here so
 *	that all that a part shows is in one place
 * @files: its text files, likewise
 * @list: in the list of all parts
 */
struct pghot_part {
	struct tunable *const *tunables;
	const struct pghot_counter *const *counters;
	const struct tracepoint *const *events;
	const struct textfile *const *files;
	struct list_head list;
};

/* For the members of struct pghot_part. */
#define TUNABLES(...)	((struct tunable *const []){ __VA_ARGS__, NULL })
#define COUNTERS(...)	((const struct pghot_counter *const []){ __VA_ARGS__, NULL })
#define EVENTS(...)	((const struct tracepoint *const []){ __VA_ARGS__, NULL })
#define TEXTFILES(...)	((const struct textfile *const []){ __VA_ARGS__, NULL })

/* A trace event, by its name in the part's trace.h. */
#define EVENT(_name)	(&__tracepoint_##_name)

/* All parts. It changes while the module loads only, before anybody else looks at it. */
extern struct list_head pghot_parts;

#define for_each_part(_part)	list_for_each_entry(_part, &pghot_parts, list)

/* Goes through one of the arrays of a part; @_entry is a pointer into the array. */
#define for_each_of(_entry, _array) \
	for (_entry = (_array); _entry && *_entry; _entry++)

void pghot_part_register(struct pghot_part *part);
int pghot_parts_load(void);

#endif /* PGHOT_CORE_PART_H */
