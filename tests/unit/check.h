/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks for unit tests. CHECK(cond) is true if cond is; however often a check
 * runs, it counts as one, which has passed if it never failed. check_report()
 * prints "NAME: N of N checks hold" and gives the program's exit code.
 */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

struct check_site {
	unsigned long runs;
	unsigned long failures;
	struct check_site *next;
};

static struct check_site *check_sites;

static inline bool check_one(struct check_site *site, bool ok, const char *file, int line,
			     const char *what)
{
	if (!site->runs++) {
		site->next = check_sites;
		check_sites = site;
	}
	if (!ok && !site->failures++)
		fprintf(stderr, "%s:%d: failed in run %lu: %s\n", file, line, site->runs, what);
	return ok;
}

#define CHECK(cond) ({							\
	static struct check_site check_here;				\
	check_one(&check_here, !!(cond), __FILE__, __LINE__, #cond);	\
})

static inline int check_report(void)
{
	unsigned long all = 0, good = 0;
	const struct check_site *site;

	for (site = check_sites; site; site = site->next) {
		all++;
		good += !site->failures;
	}
	printf("%s: %lu of %lu checks hold\n", program_invocation_short_name, good, all);
	return good != all;
}

#endif
