// SPDX-License-Identifier: GPL-2.0
/*
 * Drivers and other modules that report accesses themselves, by the functions that pghot.h
 * declares. There is nothing to start here: pghot only takes what they report, or does not.
 */
#include "pghot.h"
#include "sources/sources.h"

PGHOT_RECORDED(recorded_hwhints, PGHOT_SRC_HWHINTS);

struct pghot_source pghot_hwhints_source = {
	.name = "hwhints",
	.title = "hardware hints",
	.bit = PGHOT_SRC_HWHINTS,
	.on_at_load = true,
	.part.counters = COUNTERS(COUNTER(recorded_hwhints)),
};
