/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which event the counters of the source perf.c count.
 */
#ifndef PGHOT_PERF_H
#define PGHOT_PERF_H

#include <linux/types.h>

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

int perf_spec_set(const char *text, size_t len);
int perf_spec_print(const struct perf_spec *spec, char *text, size_t size);
ssize_t perf_spec_show(char *buf);
const struct perf_spec *perf_spec_take(void);
void perf_spec_release(void);

#endif /* PGHOT_PERF_H */
