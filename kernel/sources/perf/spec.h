/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The event that performance counters count
 *
 * perf.c uses it.
 */
#ifndef PGHOT_SOURCES_PERF_SPEC_H
#define PGHOT_SOURCES_PERF_SPEC_H

#include <linux/types.h>

struct textfile;

/* Longer than any event that is written as text. */
#define PERF_SPEC_TEXT	128

/**
 * struct perf_spec - an event, in the terms of perf_event_open(2)
 * @type: the PMU
 * @config: the event
 * @config1: more of it
 * @config2: more of it
 * @precise: precise_ip, 0 to 3: PEBS needs 1
 * @given: there is one
 */
struct perf_spec {
	u32 type;
	u64 config;
	u64 config1;
	u64 config2;
	u8 precise;
	bool given;
};

extern const struct textfile pghot_perf_event_file;

int pghot_perf_spec_print(const struct perf_spec *spec, char *text, size_t size);
const struct perf_spec *pghot_perf_spec_take(void);
void pghot_perf_spec_release(void);

#endif /* PGHOT_SOURCES_PERF_SPEC_H */
