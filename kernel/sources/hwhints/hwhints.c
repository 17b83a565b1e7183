// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Accesses that other modules report
 *
 * Drivers and other modules report accesses themselves, by the functions that pghot.h declares.
 * There is nothing to start here. While the source is off, what they report is not recorded.
 */
#include "pghot.h"
#include "sources/sources.h"

PGHOT_DECLARE_SOURCE(hwhints);
PGHOT_RECORDED(recorded_hwhints, PGHOT_SRC_HWHINTS);

struct pghot_source pghot_hwhints_source = {
	.name = "hwhints",
	.title = "hardware hints",
	.bit = PGHOT_SRC_HWHINTS,
	/* It costs nothing until a driver reports something. */
	.wanted = pghot_source_always,
	.part.counters = COUNTERS(COUNTER(recorded_hwhints)),
};
