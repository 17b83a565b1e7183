/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Failures on request
 *
 * Tests use them to see what happens when an allocation or another step fails. Only a build with
 * PGHOT_INJECT=1 has them. In any other build they cost nothing.
 */
#ifndef PGHOT_TESTING_INJECT_H
#define PGHOT_TESTING_INJECT_H

#include <linux/types.h>

/**
 * enum inject_point - what can be made to fail
 * @INJECT_ALLOC: an allocation, or what makes one, while the module loads or a source starts
 * @INJECT_BLOCK: getting a block of memory for records, so that they are mapped page by page
 * @INJECT_ISOLATE: taking a folio off its LRU list
 * @INJECT_MIGRATE: getting memory to migrate a folio to
 * @INJECT_UNCHARGED: finding the memory cgroup that a folio is charged to
 * @INJECT_UNHOOK: having ftrace give a function back
 * @INJECT_NR: number of points
 */
enum inject_point {
	INJECT_ALLOC,
	INJECT_BLOCK,
	INJECT_ISOLATE,
	INJECT_MIGRATE,
	INJECT_UNCHARGED,
	INJECT_UNHOOK,
	INJECT_NR,
};

#ifdef PGHOT_INJECT
bool pghot_inject(enum inject_point point);
#else
static inline bool pghot_inject(enum inject_point point)
{
	return false;
}
#endif

/**
 * inject_alloc() - make an allocation, unless it is to fail
 * @failure: what @call returns when it fails
 * @call: the call that allocates
 */
#define inject_alloc(failure, call)	(pghot_inject(INJECT_ALLOC) ? (failure) : (call))

#endif /* PGHOT_TESTING_INJECT_H */
